import Glibc

/// Folders in which nobody else may put or change anything.
package enum PrivateFolder {
    /// Makes the folder, and those above it that are missing for their owner alone, and checks it.
    package static func make(_ path: String, mode: UInt32 = 0o700) throws(StateFolder.Failure) {
        var position = path.startIndex
        while let slash = path[position...].dropFirst().firstIndex(of: "/") {
            try make(missing: String(path[..<slash]), mode: 0o700)
            position = slash
        }
        try make(missing: path, mode: mode)
        try check(path)
    }

    /// Whether it is a folder of this user, or of root for one that is only read.
    package static func check(
        _ path: String, acceptsRoot: Bool = false
    ) throws(StateFolder.Failure) {
        // With a slash at the end a link would be followed.
        guard path.count == 1 || path.last != "/" else {
            return try check(String(path.dropLast()), acceptsRoot: acceptsRoot)
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .system(path: path, SystemError("lstat"))
        }
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
            // One that is there may also be in a file system that is only read.
            let error = SystemError("mkdir")
            guard access(path, F_OK) != 0 else { return }
            throw .system(path: path, error)
        }
        // The mask of this process would take the rights of the group away.
        guard mode == 0o700 || chmod(path, mode) == 0 else {
            throw .system(path: path, SystemError("chmod"))
        }
    }
}
