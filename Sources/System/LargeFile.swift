import Glibc

/// A regular file that is read piece by piece, because it may be larger than the memory.
package struct LargeFile: ~Copyable {
    package let size: Int
    private let file: FileDescriptor

    /// Fails for anything that is not a regular file.
    package init(_ path: String) throws(SystemError) {
        let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
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
