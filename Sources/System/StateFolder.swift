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

/// Folders in which no other user can create or change anything.
package enum PrivateFolder {
    /// Creates the folder and its missing parents, then checks it. Parents are for their owner
    /// only. All of them survive a power cut.
    package static func make(_ path: String, mode: UInt32 = 0o700) throws(StateFolder.Failure) {
        var position = path.startIndex
        while let slash = path[position...].dropFirst().firstIndex(of: "/") {
            try make(missing: String(path[..<slash]), mode: 0o700)
            position = slash
        }
        try make(missing: path, mode: mode)
        try check(path)
    }

    /// Fails unless the folder belongs to this user, or to root if `acceptsRoot`.
    package static func check(
        _ path: String, acceptsRoot: Bool = false
    ) throws(StateFolder.Failure) {
        // lstat would follow a link with a slash at its end.
        guard path.count == 1 || path.last != "/" else {
            return try check(String(path.dropLast()), acceptsRoot: acceptsRoot)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system(path: path, SystemError("lstat")) }
        switch status.st_mode & S_IFMT {
        case S_IFLNK: throw .link(path: path)
        case S_IFDIR: break
        default: throw .notAFolder(path: path)
        }
        guard status.st_uid == geteuid() || (acceptsRoot && status.st_uid == 0) else {
            throw .foreignOwner(path: path)
        }
        guard status.st_mode & 0o022 == 0 else {
            throw .writableByOthers(path: path, mode: status.st_mode & 0o777)
        }
    }

    private static func make(missing path: String, mode: UInt32) throws(StateFolder.Failure) {
        guard mkdir(path, 0o700) == 0 else {
            // An existing folder may be on a read-only file system, for which mkdir reports another
            // error.
            let error = SystemError("mkdir")
            guard access(path, F_OK) != 0 else { return }
            throw .system(path: path, error)
        }
        // The umask of this process would remove the permissions of the group.
        guard mode == 0o700 || chmod(path, mode) == 0 else {
            throw .system(path: path, SystemError("chmod"))
        }
        try keep(path)
    }

    /// The folder was just created, and is on the disk before this returns. What is in it would be
    /// lost with it, even if it was synchronized itself.
    static func keep(_ path: String) throws(StateFolder.Failure) {
        do throws(SystemError) {
            let name = path.count > 1 && path.last == "/" ? String(path.dropLast()) : path
            try FileDescriptor.synchronizeFolder(of: name)
        } catch {
            // Who may write to the parent may still not be allowed to open it.
            guard error.code == EACCES else { throw .system(path: path, error) }
        }
    }
}
