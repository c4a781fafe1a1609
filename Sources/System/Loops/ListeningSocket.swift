import CLinux
import CShims
import Glibc

/// A listening socket. It is closed when it goes out of scope; a Unix socket created here then
/// removes its file.
package struct ListeningSocket: ~Copyable, Sendable {
    /// The kernel limits it to `net.core.somaxconn`.
    static let backlog: Int32 = 4_096

    let descriptor: Int32
    /// The address, with the actual port.
    package let address: SocketAddress
    /// Whether other sockets can share the port, so that the kernel spreads connections over them.
    private let sharesPort: Bool
    private let file: SocketFile?

    private init(
        owning descriptor: Int32, _ address: SocketAddress, sharesPort: Bool,
        file: consuming SocketFile? = nil
    ) {
        self.descriptor = descriptor
        self.address = address
        self.sharesPort = sharesPort
        self.file = file
    }

    deinit { close(descriptor) }

    /// Listens on an address of this machine; `[::]` accepts both IP versions. Port 0 picks a free
    /// one.
    package static func tcp(_ address: SocketAddress) throws(SystemError) -> ListeningSocket {
        // Binds without sharing the port at first, to notice whether another server uses it.
        try bind(address, isSibling: false)
    }

    /// Another socket for another loop. The kernel spreads connections over the sockets of a TCP
    /// port; those of a Unix socket, or of an inherited one, share a queue.
    package borrowing func sibling() throws(SystemError) -> ListeningSocket {
        if sharesPort { return try Self.bind(address, isSibling: true) }
        let original = descriptor
        let copy = try ensure("fcntl") { fcntl(original, F_DUPFD_CLOEXEC, 0) }
        return ListeningSocket(owning: copy, address, sharesPort: false)
    }

    /// Listens on a path, replacing the socket of a server that died.
    package static func unix(
        path: String, mode: UInt32, owner: SocketOwner? = nil
    ) throws(SystemError) -> ListeningSocket {
        let address = SocketAddress.unix(path: path)
        let storage = try SocketAddress.Storage(address)
        try SocketFile.removeStale(path)
        let socket = try open(storage)
        try bind(socket, storage, address)
        let file = try SocketFile(boundTo: path)
        // Until it listens nobody can connect, whatever its first permissions.
        try file.set(mode: mode, owner: owner)
        try listen(socket, address)
        return ListeningSocket(
            owning: socket.release(), address, sharesPort: false, file: file)
    }

    /// Uses a descriptor that is already listening; fails on any other.
    static func adopt(_ descriptor: Int32) throws(SystemError) -> ListeningSocket {
        let socket = Socket(owning: descriptor)
        let isListening = intOption(descriptor, SO_ACCEPTCONN) == 1
        let isStream = intOption(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue)
        var storage = SocketAddress.Storage()
        guard isListening, isStream,
            storage.receive({ getsockname(descriptor, $0, $1) }) == 0,
            let address = storage.address
        else {
            throw SystemError("accept", code: EINVAL, about: "descriptor \(descriptor)")
        }
        _ = try ensure("fcntl") { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = try ensure("fcntl") { fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        if case .ip = address { socket.setNoDelay() }
        return ListeningSocket(owning: socket.release(), address, sharesPort: false)
    }

    private static func bind(
        _ address: SocketAddress, isSibling: Bool
    ) throws(SystemError) -> ListeningSocket {
        let storage = try SocketAddress.Storage(address)
        let socket = try open(storage)
        let descriptor = socket.descriptor
        try setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if storage.family == AF_INET6 {
            try setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)
        }
        if isSibling { try setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
        try bind(socket, storage, address)
        if !isSibling { try setOption(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
        // Accepted connections inherit it, which saves a call for each.
        socket.setNoDelay()
        try listen(socket, address)
        var bound = SocketAddress.Storage()
        _ = try ensure("getsockname") { bound.receive { getsockname(descriptor, $0, $1) } }
        return ListeningSocket(
            owning: socket.release(), bound.address ?? address, sharesPort: true)
    }

    private static func open(
        _ storage: SocketAddress.Storage
    ) throws(SystemError) -> Socket {
        try Socket(owning: ensure("socket") { socket(storage.family, clinux_stream, 0) })
    }

    private static func bind(
        _ socket: borrowing Socket, _ storage: SocketAddress.Storage, _ address: SocketAddress
    ) throws(SystemError) {
        let descriptor = socket.descriptor
        _ = try ensure("bind", about: address.description) {
            storage.withPointer { Glibc.bind(descriptor, $0, $1) }
        }
    }

    private static func listen(
        _ socket: borrowing Socket, _ address: SocketAddress
    ) throws(SystemError) {
        let descriptor = socket.descriptor
        _ = try ensure("listen", about: address.description) {
            Glibc.listen(descriptor, backlog)
        }
    }
}

extension ListeningSocket {
    enum Accepted: ~Copyable {
        case connection(Socket, SocketAddress)
        /// No connection is waiting.
        case none
        /// This connection broke before it was accepted; there may be others.
        case broken
        /// The machine has no room: trying again at once would fail again.
        case exhausted(SystemError)
    }

    borrowing func accept() -> Accepted {
        var storage = SocketAddress.Storage()
        let listener = descriptor
        let descriptor = storage.receive { cshims_accept(listener, $0, $1) }
        guard descriptor == -1 else {
            return .connection(Socket(owning: descriptor), storage.address ?? .unix(path: ""))
        }
        switch errno {
        case EAGAIN: return .none
        // Network errors of this one connection (accept(2)).
        case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET,
            EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH:
            return .broken
        // EMFILE, ENFILE, ENOBUFS, ENOMEM, or something unexpected; none may make the loop spin.
        case let code: return .exhausted(SystemError("accept4", code: code))
        }
    }
}
