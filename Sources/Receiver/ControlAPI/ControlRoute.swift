import Foundation

/// One row of the route tables (control-api.md 3, 12, 13; extensions.md 5).
enum ControlRoute: Equatable, Sendable {
    case status
    case version
    case listExports
    case createExport
    case export(UUID)
    case resumeExport(UUID)
    case cancelExport(UUID)
    case verifyExport(UUID)
    case openPairing
    case pairing(UUID)
    case approvePairing(UUID)
    case closePairing(UUID)
    case peers
    case unpair(UUID)
    case setDestination
    case metricCatalog
    case readiness
    /// A route of the typed query surface that this receiver does not serve yet.
    case agentNotImplemented

    /// Whether the route is ours: then it needs the token even where upstream's routes are open.
    var alwaysNeedsToken: Bool {
        switch self {
        case .status, .createExport, .export, .resumeExport, .cancelExport, .metricCatalog, .readiness,
            .agentNotImplemented:
            false
        case .version, .listExports, .verifyExport, .openPairing, .pairing, .approvePairing, .closePairing, .peers,
            .unpair, .setDestination:
            true
        }
    }

    /// The row of a method and a path. Paths are compared as sent, so that an escape or an empty segment makes a path
    /// unknown; methods are case-sensitive.
    ///
    /// - Throws: `not_found`, `method_not_allowed`, `removed_endpoint`.
    static func find(method: String, path: String) throws(RouteError) -> ControlRoute {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard path.hasPrefix("/v1/"), !segments.contains("") else { throw .notFound }
        let rows = try rows(Array(segments.dropFirst()))
        guard let row = rows.first(where: { $0.method == method }) else {
            throw .methodNotAllowed(allowed: rows.map(\.method))
        }
        return row.route
    }

    private typealias Row = (method: String, route: ControlRoute)

    private static func rows(_ segments: [Substring]) throws(RouteError) -> [Row] {
        switch (segments[0], segments.count) {
        case ("status", 1): [("GET", .status)]
        case ("version", 1): [("GET", .version)]
        case ("destination", 1): [("PUT", .setDestination)]
        case ("exports", _): try exportRows(segments)
        case ("pairing", _): try pairingRows(segments)
        case ("peers", 1): [("GET", .peers)]
        case ("peers", 2): [("DELETE", .unpair(try identifier(segments[1])))]
        case ("agent", 2...): try agentRows(Array(segments.dropFirst()))
        default: throw .notFound
        }
    }

    private static func exportRows(_ segments: [Substring]) throws(RouteError) -> [Row] {
        if segments.count == 1 { return [("GET", .listExports), ("POST", .createExport)] }
        let id = try identifier(segments[1])
        if segments.count == 2 { return [("GET", .export(id))] }
        switch (segments[2], segments.count) {
        case ("resume", 3): return [("POST", .resumeExport(id))]
        case ("cancel", 3): return [("POST", .cancelExport(id))]
        case ("verify", 3): return [("POST", .verifyExport(id))]
        default: throw .notFound
        }
    }

    private static func pairingRows(_ segments: [Substring]) throws(RouteError) -> [Row] {
        if segments.count == 1 { return [("POST", .openPairing)] }
        let id = try identifier(segments[1])
        if segments.count == 2 { return [("GET", .pairing(id)), ("DELETE", .closePairing(id))] }
        guard segments.count == 3, segments[2] == "approve" else { throw .notFound }
        return [("POST", .approvePairing(id))]
    }

    private static func agentRows(_ segments: [Substring]) throws(RouteError) -> [Row] {
        switch segments.joined(separator: "/") {
        case "metrics": return [("GET", .metricCatalog)]
        case "readiness": return [("GET", .readiness)]
        case "capabilities": return [("GET", .agentNotImplemented)]
        case "query", "evidence", "refresh": return [("POST", .agentNotImplemented)]
        // Gone whatever the method.
        case "profiles", "activity/query": throw .removedEndpoint
        default: break
        }
        guard segments[0] == "jobs", (2...3).contains(segments.count) else { throw .notFound }
        _ = try identifier(segments[1])
        if segments.count == 2 { return [("GET", .agentNotImplemented)] }
        guard segments[2] == "resume" || segments[2] == "cancel" else { throw .notFound }
        return [("POST", .agentNotImplemented)]
    }

    /// A UUID in either case.
    private static func identifier(_ segment: Substring) throws(RouteError) -> UUID {
        guard let id = UUID(strict: segment) else { throw .notFound }
        return id
    }
}

extension UUID {
    /// Exactly 8-4-4-4-12 hexadecimal digits, in either case.
    init?(strict text: some StringProtocol) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12], let value = UUID(uuidString: String(text)) else { return nil }
        self = value
    }
}
