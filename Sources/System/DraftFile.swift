import Glibc

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

    /// The same, but fails if there is a file of that name.
    package func publishNew() throws(SystemError) {
        try file.synchronize()
        // Unlike a rename, a link never replaces an existing file.
        _ = try ensure("link") { link(path, place) }
        try FileDescriptor.synchronizeFolder(of: place)
    }
}
