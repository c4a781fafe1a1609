import Glibc

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// Raises the limit as far as the administrator allows and returns it. The default is low
    /// because some programs still use select(2).
    package static func raise() throws(SystemError) -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        _ = try ensure("getrlimit") { getrlimit(kind, &limit) }
        limit.rlim_cur = limit.rlim_max
        _ = try ensure("setrlimit") { setrlimit(kind, &limit) }
        return Int(clamping: limit.rlim_cur)
    }
}
