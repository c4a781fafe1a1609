import CLinux
import Glibc

/// The name of a listening Unix socket in the file system. Removed when it goes out of scope,
/// unless another server has put its own there by then.
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
        else { return }  // It is gone or not ours, and nothing is left to do.
        unlink(path)
    }

    func set(mode: UInt32, owner: SocketOwner?) throws(ReactorError) {
        if let owner {
            _ = try ensure("chown", about: path) { lchown(path, owner.user, owner.group) }
        }
        _ = try ensure("chmod", about: path) { chmod(path, mode) }
    }

    /// Removes what a server that died left behind. A socket that still answers, or a file that is
    /// no socket, is left alone; binding will then fail.
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

/// Whom the file of a Unix socket is given to.
package struct SocketOwner: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32

    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}
