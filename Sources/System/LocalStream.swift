import CShims
import Glibc

/// A blocking connection to a Unix socket of this machine.
package struct LocalStream: ~Copyable {
    private let file: FileDescriptor
    private var lines: LineReader

    package init(_ path: String, lineLimit: Int) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8.prefix(MemoryLayout.size(ofValue: address.sun_path) - 1))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let file = FileDescriptor(
            owning: try ensure("socket") { socket(AF_UNIX, type, 0) })
        _ = try withUnsafePointer(to: &address) { address throws(SystemError) in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                address throws(SystemError) in
                try ensure("connect") {
                    connect(file.number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
        lines = LineReader(limit: lineLimit, from: file.number)
        self.file = file
    }

    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            let rest = bytes.extracting(start..<bytes.count)
            start += try rest.withUnsafeBytes { rest throws(SystemError) in
                try ensure("send") {
                    send(file.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    /// Nil at the end.
    package mutating func next() throws(SystemError) -> LineReader.Line? { try lines.next() }
}

/// A Unix socket in the file system, found without following a link, and kept open: whatever
/// happens to its name, connecting to `path` reaches the socket that was checked.
package final class CheckedSocket: Sendable {
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// The path is not inside the folder.
        case elsewhere
        case notASocket
        case foreignOwner
        /// The socket is one of `excluding`.
        case excluded
        case system(SystemError)

        package var description: String {
            switch self {
            case .elsewhere: "the socket is outside the allowed folders"
            case .notASocket: "this is not a socket"
            case .foreignOwner: "the socket belongs to somebody else"
            case .excluded: "this is a socket of the server itself"
            case .system(let error): error.description
            }
        }
    }

    private let file: FileDescriptor

    /// `owner` is the user who must own the socket; nil accepts any owner.
    package init(
        _ path: String, beneath folder: String, owner: UInt32?, excluding: [String] = []
    ) throws(Failure) {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        guard prefix.hasPrefix("/"), path.hasPrefix(prefix) else { throw .elsewhere }
        let file = try Self.open(
            String(path.dropFirst(prefix.count)), in: try Self.open(String(prefix.dropFirst())))
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .system(SystemError("fstat")) }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket }
        guard owner == nil || status.st_uid == owner else { throw .foreignOwner }
        for path in excluding {
            var other = stat()
            guard stat(path, &other) == 0 else { continue }
            if other.st_ino == status.st_ino, other.st_dev == status.st_dev { throw .excluded }
        }
        self.file = file
    }

    /// A path to it that is short enough for a socket address.
    package var path: String { "/proc/self/fd/\(file.number)" }

    /// Opens a folder from the root on without following links; an empty path is the root itself.
    private static func open(_ path: String) throws(Failure) -> FileDescriptor {
        do throws(SystemError) {
            let root = try FileDescriptor.open("/", O_RDONLY | O_DIRECTORY)
            guard !path.isEmpty else { return root }
            return try beneath(root, path)
        } catch { throw .system(error) }
    }

    private static func open(
        _ path: String, in folder: borrowing FileDescriptor
    ) throws(Failure) -> FileDescriptor {
        do throws(SystemError) { return try beneath(folder, path) } catch { throw .system(error) }
    }

    private static func beneath(
        _ folder: borrowing FileDescriptor, _ path: String
    ) throws(SystemError) -> FileDescriptor {
        let number = folder.number
        return FileDescriptor(
            owning: try ensure("openat2") { cshims_open_beneath(number, path) })
    }
}
