import Glibc

/// The folder with the server's state, used by one server at a time.
///
/// The lock ends with the last reference, or with the process.
package final class StateFolder: Sendable {
    package let path: String
    private let lock: FileDescriptor

    package enum Failure: Error, Equatable, CustomStringConvertible {
        case link(path: String)
        case notAFolder(path: String)
        case foreignOwner(path: String)
        case writableByOthers(path: String, mode: UInt32)
        case inUse(path: String)
        case system(path: String, SystemError)

        package var description: String {
            switch self {
            case .link(let path): "\(path) is a symbolic link"
            case .notAFolder(let path): "\(path) is not a folder"
            case .foreignOwner(let path): "\(path) belongs to another user"
            case .writableByOthers(let path, let mode):
                "\(path) can be written by others (mode \(String(mode, radix: 8)))"
            case .inUse(let path): "another server uses \(path)"
            case .system(let path, let error): "\(path): \(error)"
            }
        }

        package var hint: String? {
            switch self {
            case .link: "use the path of the folder itself"
            case .notAFolder: nil
            case .system(_, let error): error.hint
            case .foreignOwner: "start as the user who owns it, or choose another folder"
            case .writableByOthers(let path, _): "run chmod go-w \(path)"
            case .inUse: "stop that server first, or choose another folder"
            }
        }
    }

    /// Creates the folder for its owner only if it is missing, and locks it.
    package init(_ path: String) throws(Failure) {
        if mkdir(path, 0o700) == 0 {
            try PrivateFolder.keep(path)
        } else if errno != EEXIST {
            throw .system(path: path, SystemError("mkdir"))
        }
        try PrivateFolder.check(path)
        let lock: FileDescriptor
        do throws(SystemError) {
            lock = try .open(path + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        } catch {
            throw .system(path: path, error)
        }
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0 else {
            let isHeld = errno == EWOULDBLOCK
            throw isHeld ? .inUse(path: path) : .system(path: path, SystemError("flock"))
        }
        self.path = path
        self.lock = lock
    }

    /// Whether a server uses the folder, which is only read. False if there is no lock to ask.
    package static func isInUse(_ path: String) -> Bool {
        guard let lock = try? FileDescriptor.open(path + "/lock", O_RDONLY | O_NOFOLLOW) else {
            return false
        }
        return flock(lock.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Whether that can be seen.
    package static func canBeAsked(_ path: String) -> Bool { access(path + "/lock", R_OK) == 0 }

    /// Creates an empty file for its owner only, unless it exists.
    package func makeFile(_ name: String) throws(Failure) {
        do throws(SystemError) {
            let file = try FileDescriptor.open(
                path + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            try file.synchronize()
            try FileDescriptor.synchronizeFolder(of: path + "/" + name)
        } catch {
            throw .system(path: path + "/" + name, error)
        }
    }
}
