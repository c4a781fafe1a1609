import Base
import Glibc

/// An open file. It is closed when it goes out of scope.
struct FileDescriptor: ~Copyable {
    let number: Int32

    init(owning number: Int32) { self.number = number }

    deinit { close(number) }

    static func open(
        _ path: String, _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            owning: try ensure("open") { Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    var isRegular: Bool {
        get throws(SystemError) {
            var status = stat()
            _ = try ensure("fstat") { fstat(number, &status) }
            return status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// Reads at most `limit` bytes; nil when there are more.
    func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let chunk = try readChunk(number)
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        return nil
    }

    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try writeAll(number, bytes)
    }

    func synchronize() throws(SystemError) {
        _ = try ensure("fsync") { fsync(number) }
    }

    /// After this returns, a file created or renamed at `path` survives a power cut.
    static func synchronizeFolder(of path: String) throws(SystemError) {
        if PlantedMistake.noFolderSync.isMade { return }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        try open(folder, O_RDONLY | O_DIRECTORY).synchronize()
    }
}

/// The bytes of one `read`; empty at the end.
func readChunk(_ number: Int32) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { output, count in
        do throws(SystemError) {
            count = try ensure("read") { read(number, output.baseAddress, output.count) }
        } catch {
            failure = error
        }
    }
    if let failure { throw failure }
    return bytes
}

func writeAll(_ number: Int32, _ bytes: Span<UInt8>) throws(SystemError) {
    var start = 0
    while start < bytes.count {
        let rest = bytes.extracting(start..<bytes.count)
        start += try rest.withUnsafeBytes { rest throws(SystemError) in
            try ensure("write") { write(number, rest.baseAddress, rest.count) }
        }
    }
}
