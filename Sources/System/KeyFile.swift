import Glibc

/// Files with secrets: only their owner may read them, and they are never overwritten.
package enum KeyFile {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case readableByOthers(path: String, mode: UInt32)
        case foreignOwner(path: String)
        case notAFile(path: String)
        case tooLarge(path: String)
        case exists(path: String)
        case system(path: String, SystemError)

        package var description: String {
            switch self {
            case .readableByOthers(let path, let mode):
                "key file \(path) can be read by others (mode \(String(mode, radix: 8)))"
            case .foreignOwner(let path): "key file \(path) belongs to another user"
            case .notAFile(let path): "\(path) is not a regular file"
            case .tooLarge(let path): "\(path) is too large for a key file"
            case .exists(let path): "\(path) exists"
            case .system(let path, let error): "\(path): \(error)"
            }
        }

        package var hint: String? {
            switch self {
            case .readableByOthers(let path, _): "run chmod 600 \(path)"
            case .foreignOwner: "use your own copy of the file"
            case .exists: "choose another name; an overwritten key would be lost for good"
            case .notAFile, .tooLarge: nil
            case .system(_, let error): error.hint
            }
        }
    }

    package static let sizeLimit = 65_536

    /// Returns the whole file if this user or root owns it and no other user can read it.
    package static func read(_ path: String) throws(Failure) -> [UInt8] {
        let refusal: Failure?
        let bytes: [UInt8]?
        do throws(SystemError) {
            // A link could lead elsewhere, and a pipe would block before it can be examined.
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            var status = stat()
            _ = try ensure("fstat") { fstat(file.number, &status) }
            refusal = failure(of: status, path)
            bytes = refusal == nil ? try file.readAll(limit: sizeLimit) : nil
        } catch {
            throw error.code == ELOOP ? .notAFile(path: path) : .system(path: path, error)
        }
        if let refusal { throw refusal }
        guard let bytes else { throw .tooLarge(path: path) }
        return bytes
    }

    /// Creates the file for its owner only. It is on the disk before this returns; a reader never
    /// sees a part of it, not even after a kill.
    package static func create(_ path: String, _ bytes: Span<UInt8>) throws(Failure) {
        let draft = path + ".new"
        do throws(SystemError) {
            // An interrupted attempt may have left one behind.
            unlink(draft)
            let file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            defer { unlink(draft) }
            try file.write(bytes)
            try file.synchronize()
            // Unlike a rename, a link never replaces an existing file.
            _ = try ensure("link") { link(draft, path) }
            try FileDescriptor.synchronizeFolder(of: path)
        } catch {
            throw error.code == EEXIST ? .exists(path: path) : .system(path: path, error)
        }
    }

    /// The file is gone from the disk before this returns. A missing file is no failure.
    package static func remove(_ path: String) throws(Failure) {
        do throws(SystemError) {
            if unlink(path) != 0, errno != ENOENT { throw SystemError("unlink") }
            try FileDescriptor.synchronizeFolder(of: path)
        } catch {
            throw .system(path: path, error)
        }
    }

    private static func failure(of status: stat, _ path: String) -> Failure? {
        guard status.st_mode & S_IFMT == S_IFREG else { return .notAFile(path: path) }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return .foreignOwner(path: path)
        }
        // systemd lets a service read its credentials through an access list, which appears as
        // permissions of the group.
        let foreignRights: mode_t = isCredential(path) ? 0o037 : 0o077
        guard status.st_mode & foreignRights == 0 else {
            return .readableByOthers(path: path, mode: status.st_mode & 0o777)
        }
        return nil
    }

    private static func isCredential(_ path: String) -> Bool {
        guard let folder = getenv("CREDENTIALS_DIRECTORY") else { return false }
        return path.hasPrefix(String(cString: folder) + "/")
    }
}

/// A file that is made under another name in the same folder, and takes its place only when it is
/// complete. A kill at any moment leaves the former file, or none, and a draft that the next
/// attempt overwrites.
package final class DraftFile {
    /// What its name has after that of its place.
    package static let ending = ".new"

    /// Where to write until `publish`.
    package let path: String
    private let place: String
    private let file: FileDescriptor
    private var isPublished = false

    /// Creates the draft, empty and for its owner only. It fails while another process has a draft
    /// for the same place.
    package init(for place: String) throws(SystemError) {
        let path = place + Self.ending
        self.place = place
        self.path = path
        file = try Self.claim(path)
    }

    deinit {
        if !isPublished { unlink(path) }
    }

    private static func claim(_ path: String) throws(SystemError) -> FileDescriptor {
        while true {
            let file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            _ = try ensure("flock") { flock(file.number, LOCK_EX | LOCK_NB) }
            var (held, named) = (stat(), stat())
            _ = try ensure("fstat") { fstat(file.number, &held) }
            // The process that had it before may have published or removed it in the meantime.
            guard lstat(path, &named) == 0, named.st_ino == held.st_ino,
                named.st_dev == held.st_dev
            else { continue }
            // Somebody else could read what is written into a file of theirs.
            guard held.st_uid == geteuid(), held.st_nlink == 1, held.st_mode & S_IFMT == S_IFREG
            else { throw SystemError("open", code: EEXIST) }
            _ = try ensure("fchmod") { fchmod(file.number, 0o600) }
            _ = try ensure("ftruncate") { ftruncate(file.number, 0) }
            return file
        }
    }

    /// Writes at the end.
    package func append(_ bytes: Span<UInt8>) throws(SystemError) {
        _ = try ensure("lseek") { lseek(file.number, 0, SEEK_END) }
        try file.write(bytes)
    }

    /// The file is complete and on the disk, under its own name, before this returns.
    package func publish() throws(SystemError) {
        try file.synchronize()
        _ = try ensure("rename") { rename(path, place) }
        isPublished = true
        try FileDescriptor.synchronizeFolder(of: place)
    }

    /// Publishes the draft, but fails if there is a file of that name.
    package func publishNew() throws(SystemError) {
        try file.synchronize()
        // Unlike a rename, a link never replaces an existing file.
        _ = try ensure("link") { link(path, place) }
        try FileDescriptor.synchronizeFolder(of: place)
    }
}
