import Glibc

/// How many connections the process has descriptors for, so that a crowd at the door never takes the last ones from the
/// files of the jobs.
struct DescriptorBudget {
    /// Kept for everything that is not a client: files, database, peers, epoll.
    static let reserve = 256
    /// A client and the file that it is sent.
    static let descriptorsPerConnection = 2
    /// Connections that are served whatever the limit says.
    static let leastConnectionCount = 16

    /// The soft limit to ask for.
    let softLimit: Int
    /// Connections at a time.
    let connectionCount: Int

    /// What `wanted` connections get in a process with this soft limit, which can be raised to the hard one.
    init(wanted: Int, softLimit: Int, hardLimit: Int) {
        let overhead = Self.reserve + ClientTable.lingerLimit
        let needed = wanted * Self.descriptorsPerConnection + overhead
        self.softLimit = max(softLimit, min(needed, hardLimit))
        let affordable = (self.softLimit - overhead) / Self.descriptorsPerConnection
        connectionCount = min(wanted, max(Self.leastConnectionCount, affordable))
    }

    /// Raises the soft limit of this process as far as it is needed and allowed.
    ///
    /// Shells and services start with 1,024, which a thousand clients would use up; nothing here uses `select`, the
    /// reason why that default is kept.
    static func claim(wanted: Int) -> DescriptorBudget {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else {
            return DescriptorBudget(wanted: wanted, softLimit: 1_024, hardLimit: 1_024)
        }
        let soft = Int(clamping: limit.rlim_cur)
        let budget = DescriptorBudget(wanted: wanted, softLimit: soft, hardLimit: Int(clamping: limit.rlim_max))
        guard budget.softLimit > soft else { return budget }
        limit.rlim_cur = rlim_t(budget.softLimit)
        guard setrlimit(resource, &limit) == 0 else {
            return DescriptorBudget(wanted: wanted, softLimit: soft, hardLimit: soft)
        }
        return budget
    }
}
