import Glibc

/// Reads files without secrets, such as a message to send.
package enum TextFile {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case tooLarge(path: String)
        case system(path: String, SystemError)

        package var description: String {
            switch self {
            case .tooLarge(let path): "\(path) is too large"
            case .system(let path, let error): "\(path): \(error)"
            }
        }

        package var hint: String? {
            switch self {
            case .tooLarge: nil
            case .system(_, let error): error.hint
            }
        }
    }

    package static let sizeLimit = 1 << 20

    package static func read(_ path: String) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(SystemError) {
            bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: sizeLimit)
        } catch {
            throw .system(path: path, error)
        }
        guard let bytes else { throw .tooLarge(path: path) }
        return bytes
    }
}

/// Replaces a file as a whole: a reader, or a start after a crash, finds the old one or the new
/// one.
package enum AtomicFile {
    /// The file is on the disk, with exactly these permissions, before this returns.
    package static func replace(
        _ path: String, with bytes: Span<UInt8>, mode: UInt32
    ) throws(SystemError) {
        let draft = path + ".new"
        // An interrupted attempt may have left one behind.
        unlink(draft)
        let file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        try file.write(bytes)
        _ = try ensure("fchmod") { fchmod(file.number, mode) }
        try file.synchronize()
        _ = try ensure("rename") { rename(draft, path) }
        try FileDescriptor.synchronizeFolder(of: path)
    }
}

package enum FileRemoval {
    /// Nothing happens if there is none.
    package static func remove(_ path: String) { unlink(path) }
}

/// Changes whenever a file is written or replaced, or a link to it is changed.
package struct FileStamp: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t
    private let size: off_t
    private let modifiedSeconds: Int
    private let modifiedNanoseconds: Int
    package let isReadableByEveryone: Bool

    /// Nil if the file does not exist or cannot be examined.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        modifiedSeconds = status.st_mtim.tv_sec
        modifiedNanoseconds = status.st_mtim.tv_nsec
        isReadableByEveryone = status.st_mode & S_IROTH != 0
    }
}

package enum FileAccess {
    /// Whether this user may not use the file, or not even see whether it is there.
    package static func isForbidden(_ path: String) -> Bool {
        access(path, R_OK | W_OK) != 0 && errno == EACCES
    }
}

package enum FileSize {
    /// Nil if the file does not exist or cannot be examined.
    package static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

package enum FolderNames {
    /// The names of everything in the folder, in no order.
    package static func all(in folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError("opendir") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

package enum FreeSpace {
    /// The bytes that this process may still write next to `path`; nil if the system does not say.
    package static func bytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}

/// How much room a disk has, in bytes.
package struct DiskSpace: Equatable, Sendable {
    package let free: Int
    package let whole: Int

    package init(free: Int, whole: Int) { (self.free, self.whole) = (free, whole) }

    /// The disk that has this path; nil if the system does not say.
    package init?(at path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        free = Int(clamping: UInt64(status.f_bavail) * unit)
        whole = Int(clamping: UInt64(status.f_blocks) * unit)
    }
}

/// A regular file that is read piece by piece, because it may be larger than the memory.
package struct LargeFile: ~Copyable {
    package let size: Int
    private let file: FileDescriptor

    /// Fails for anything that is not a regular file. `followsLink` concerns the last part of the
    /// path only.
    package init(_ path: String, followsLink: Bool = true) throws(SystemError) {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
        let file = try FileDescriptor.open(path, flags)
        var status = stat()
        _ = try ensure("fstat") { fstat(file.number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("open", code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
        size = Int(status.st_size)
        self.file = file
    }

    /// At most `count` bytes from there; fewer only at the end.
    package func read(at start: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let (place, wanted) = (start + bytes.count, count - bytes.count)
            var failure: SystemError?
            let piece = [UInt8](unsafeUninitializedCapacity: wanted) { output, length in
                do throws(SystemError) {
                    length = try ensure("pread") {
                        pread(file.number, output.baseAddress, wanted, off_t(place))
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
        return bytes
    }
}

package enum RealPath {
    /// The path without links, which must exist.
    package static func of(_ path: String) throws(SystemError) -> String {
        guard let real = realpath(path, nil) else { throw SystemError("open") }
        defer { free(real) }
        return String(cString: real)
    }

    /// The path of a file that need not exist, in a folder that must.
    package static func ofFile(_ path: String) throws(SystemError) -> String {
        guard let slash = path.lastIndex(of: "/") else {
            return try of(".") + "/" + path
        }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        let real = try of(folder)
        return (real == "/" ? "" : real) + path[slash...]
    }
}

/// Reads files that other programs created and that may be anything, for example a pipe nobody
/// writes to: reading must not block.
package enum ForeignFile {
    package enum Failure: Error, Equatable {
        case missing
        /// A pipe, a device, a folder, or a link that must not be followed.
        case irregular
        case tooLarge
        case system(SystemError)
    }

    package static let sizeLimit = 65_536

    /// The content of a regular file. `followsLink` concerns the last part of the path only.
    package static func read(
        _ path: String, followsLink: Bool = false
    ) throws(Failure) -> [UInt8] {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLink ? 0 : O_NOFOLLOW)
        let bytes: [UInt8]?
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, flags)
            guard try file.isRegular else { throw SystemError("open", code: ELOOP) }
            bytes = try file.readAll(limit: sizeLimit)
        } catch {
            switch error.code {
            case ENOENT: throw .missing
            // O_NOFOLLOW reports ELOOP for a link; a socket or a device without a driver gives
            // ENXIO.
            case ELOOP, ENXIO, EISDIR: throw .irregular
            default: throw .system(error)
            }
        }
        guard let bytes else { throw .tooLarge }
        return bytes
    }
}
