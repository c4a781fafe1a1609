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
        #if PLANTED
            if PlantedMistake.noFolderSync.isMade { return }
        #endif
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

/// A system call that failed, and what it concerned.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    package let call: String
    package let subject: String?
    package let code: Int32

    /// Reads `errno`: nothing may run between the call and this.
    package init(_ call: StaticString, about subject: String? = nil) {
        code = errno
        self.call = "\(call)"
        self.subject = subject
    }

    /// An error of a call that returns the error number.
    init(_ call: StaticString, code: Int32, about subject: String? = nil) {
        self.call = "\(call)"
        self.subject = subject
        self.code = code
    }

    package var isMissingFile: Bool { code == ENOENT }
    /// There is no room on the disk, or none for this user.
    package var isFullDisk: Bool { code == ENOSPC || code == EDQUOT }
    /// A file of that name is there.
    package var isNameTaken: Bool { code == EEXIST }
    /// Another process has the lock.
    package var isLocked: Bool { code == EWOULDBLOCK }
    package var isShortOfDescriptors: Bool { code == EMFILE || code == ENFILE }

    /// What the user of this machine can do about it; nil if that depends on what failed.
    package var hint: String? {
        switch code {
        case ENOSPC, EDQUOT: "free some space on the disk"
        case ENOENT, ENOTDIR: "check the path"
        case EROFS: "choose a folder that can be written, or mount this one for writing"
        case EACCES, EPERM: "let this user have it: chown, chmod or a group of its own"
        case EMFILE, ENFILE: "allow more open files: LimitNOFILE in the unit, or ulimit -n"
        default: nil
        }
    }

    package var description: String {
        let reason = String(cString: strerror(code))
        return subject.map { "\(call) \($0): \(reason)" } ?? "\(call): \(reason)"
    }
}

/// Runs a call that returns -1 on failure, and repeats it when a signal interrupted it.
func ensure<Value: SignedInteger>(
    _ call: StaticString, about subject: String? = nil, _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        if value != -1 { return value }
        let error = SystemError(call, about: subject)
        if error.code != EINTR { throw error }
    }
}
