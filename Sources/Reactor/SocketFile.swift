import CLinux
import Glibc

/// The file of a listening Unix socket. It is removed when this goes out of scope, unless another
/// server has replaced it.
struct SocketFile: ~Copyable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// The socket has just been bound to `path`.
    init(boundTo path: String) throws(ReactorError) {
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

    func set(mode: UInt32, owner: SocketOwner?) throws(ReactorError) {
        if let owner {
            _ = try ensure("chown", about: path) { lchown(path, owner.user, owner.group) }
        }
        _ = try ensure("chmod", about: path) { chmod(path, mode) }
    }

    /// Removes the file of a server that died. A socket that still answers, or a file that is not a
    /// socket, is left alone; binding then fails.
    static func removeStale(_ path: String) throws(ReactorError) {
        let address = SocketAddress.unix(path: path)
        guard let status = try? status(path), status.st_mode & S_IFMT == S_IFSOCK else { return }
        do throws(ReactorError) {
            _ = try Socket.connect(to: address)
        } catch {
            guard error.code == ECONNREFUSED else { return }
            _ = try ensure("unlink", about: path) { unlink(path) }
        }
    }

    private static func status(_ path: String) throws(ReactorError) -> stat {
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
