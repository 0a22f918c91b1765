/// Two engines: one that gives little memory to a connection, for the heads of nearly all, and one for the largest heads.
///
/// libmicrohttpd takes one size for all its connections, and touches half of it when it begins to answer: with room for
/// the largest head a few hundred slow readers would hold 80 MB.
struct EnginePair {
    /// A head of up to this many bytes is served with little memory.
    static let usualHeadByteCount = 1_024

    private let usual: Engine
    private let large: Engine

    init(table: ClientTable, handler: any HTTPHandler) {
        usual = Engine(table: table, handler: handler)
        large = Engine(table: table, handler: handler)
    }

    /// Starts the threads. Few heads are large: one worker does.
    func start(
        largestHeadByteCount: Int, connectionLimit: Int, stallSeconds: UInt32, workerCount: UInt32
    ) throws(HTTPServerError) {
        try usual.start(
            headByteCount: Self.usualHeadByteCount, connectionLimit: connectionLimit, stallSeconds: stallSeconds,
            workerCount: workerCount)
        do {
            try large.start(
                headByteCount: largestHeadByteCount, connectionLimit: connectionLimit, stallSeconds: stallSeconds,
                workerCount: 1)
        } catch {
            usual.stop()
            throw error
        }
    }

    /// Stops the threads and closes what is left. Nothing may be suspended.
    func stop() {
        usual.stop()
        large.stop()
    }

    /// Hands a descriptor over; false when libmicrohttpd refused it and has closed it.
    func take(_ client: Client, headByteCount: Int) -> Bool {
        (headByteCount <= Self.usualHeadByteCount ? usual : large).take(client)
    }
}
