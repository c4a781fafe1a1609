import CLinux
import Glibc

/// The file of a listening Unix socket. It is removed when this goes out of scope, unless another
/// server has replaced it.
struct SocketFile: ~Copyable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The socket has just been bound to `path`.
    init(boundTo path: String) throws(SystemError) {
        let status = try Self.status(path)
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    deinit {
        guard let status = try? Self.status(path), status.st_dev == device, status.st_ino == inode
        else { return }  // Already gone or not ours.
        unlink(path)
    }

    func set(mode: UInt32, owner: SocketOwner?) throws(SystemError) {
        if let owner {
            _ = try ensure("chown", about: path) { lchown(path, owner.user, owner.group) }
        }
        _ = try ensure("chmod", about: path) { chmod(path, mode) }
    }

    /// Removes the file of a server that died. A socket that still answers, or a file that is not a
    /// socket, is left alone; binding then fails.
    static func removeStale(_ path: String) throws(SystemError) {
        let address = SocketAddress.unix(path: path)
        guard let status = try? status(path), status.st_mode & S_IFMT == S_IFSOCK else { return }
        do throws(SystemError) {
            _ = try Socket.connect(to: address)
        } catch {
            guard error.code == ECONNREFUSED else { return }
            _ = try ensure("unlink", about: path) { unlink(path) }
        }
    }

    private static func status(_ path: String) throws(SystemError) -> stat {
        var status = stat()
        _ = try ensure("lstat", about: path) { lstat(path, &status) }
        return status
    }
}

/// Who shall own the file of a Unix socket.
package struct SocketOwner: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

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
    package func socket(at index: Int) throws(SystemError) -> ListeningSocket {
        try ListeningSocket.adopt(descriptors.lowerBound + Int32(index))
    }
}
