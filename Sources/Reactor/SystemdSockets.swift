import Glibc

/// The sockets that systemd opened for this process (sd_listen_fds(3)).
package struct SystemdSockets: Equatable, Sendable {
    /// The number of the first descriptor.
    private static let first: Int32 = 3

    /// Each has a `FileDescriptorName=` in its unit.
    let descriptors: Range<Int32>
    package let names: [String]

    /// Reads the variables and removes them, so that no child process uses the sockets. Call it
    /// once, before any thread starts.
    package static func inherit() -> SystemdSockets? { inherit(first: first) }

    static func inherit(first: Int32) -> SystemdSockets? {
        let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let values = variables.map { getenv($0).map { String(cString: $0) } }
        for variable in variables { unsetenv(variable) }
        return SystemdSockets(
            process: values[0], count: values[1], names: values[2], ownProcess: getpid(),
            first: first)
    }

    /// Nil if there are none for this process. A missing name is `unknown`.
    init?(
        process: String?, count: String?, names: String?, ownProcess: Int32, first: Int32 = first
    ) {
        guard let process, let count, Int32(process) == ownProcess, let count = Int32(count),
            (1...Self.limit).contains(count)
        else { return nil }
        let given = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        descriptors = first..<first + count
        self.names = (0..<Int(count)).map { $0 < given.count ? String(given[$0]) : "unknown" }
    }

    /// A larger number of sockets would be a mistake.
    private static let limit: Int32 = 1_024

    /// Takes the socket with that index in `names`, once. Fails if it is not a listening stream
    /// socket.
    package func socket(at index: Int) throws(ReactorError) -> ListeningSocket {
        try ListeningSocket.adopt(descriptors.lowerBound + Int32(index))
    }
}
