import Glibc

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
