import Base
import Foundation
import Testing
@testable import System

@Suite("Listening sockets")
struct ListeningSocketTests {
    private let path = NSTemporaryDirectory() + "bellwire-\(UUID().uuidString.prefix(8)).sock"

    private func errorCode(_ body: () throws -> Void) -> Int32? {
        do { try body() } catch { return (error as? SystemError)?.code }
        return nil
    }

    @Test(
        "The peer has its source address, and IPv4 on a dual-stack socket is IPv4",
        arguments: [
            ("127.0.0.1", "127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]", "::1"),
            ("[::]", "[::1]", "::1"), ("[::]", "127.0.0.1", "127.0.0.1"),
        ])
    func tcp(local: String, remote: String, peer: String) throws {
        let listening = try ListeningSocket.tcp(#require(SocketAddress("\(local):0")))
        guard case .ip(_, let port) = listening.address else { throw CancellationError() }
        #expect(port != 0)
        let client = try End.connect(to: #require(SocketAddress("\(remote):\(port)")))
        let (connection, from) = try listening.acceptNext()
        guard case .ip(let address, _) = from else { throw CancellationError() }
        #expect(address == IPAddress(peer))
        var (noDelay, length): (Int32, socklen_t) = (0, 4)
        getsockopt(connection.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, &length)
        #expect(noDelay == 1)
        guard case .none = listening.accept() else { throw CancellationError() }
        withExtendedLifetime(client) {}
    }

    @Test("A port of another server is not shared with it")
    func inUse() throws {
        let listening = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let address = listening.address
        #expect(errorCode { _ = try ListeningSocket.tcp(address) } == EADDRINUSE)
    }

    @Test("Connections are spread over the siblings of a port")
    func siblings() throws {
        let one = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let two = try one.sibling()
        #expect(one.address == two.address)
        var counts = (0, 0)
        var clients: [End] = []
        for _ in 0..<100 {
            clients.append(try End.connect(to: one.address))
            var entries = [one.descriptor, two.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            #expect(poll(&entries, 2, 10_000) == 1)
            if case .connection = one.accept() { counts.0 += 1 }
            if case .connection = two.accept() { counts.1 += 1 }
        }
        #expect(counts.0 + counts.1 == 100)
        #expect(counts.0 > 10 && counts.1 > 10)
    }

    @Test("A Unix socket has its mode before anyone can connect, and removes its file")
    func unix() throws {
        do {
            let listening = try ListeningSocket.unix(
                path: path, mode: 0o620, owner: SocketOwner(user: getuid(), group: getgid()))
            #expect(listening.address == .unix(path: path))
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o620)
            let client = try End.connect(to: listening.address)
            let (connection, peer) = try listening.acceptNext()
            #expect(peer == .unix(path: ""))
            #expect(try connection.use { $0.peerCredentials()?.userID } == getuid())
            // Siblings share the queue; when one ends, the file stays.
            do { _ = try listening.sibling() }
            #expect(access(path, F_OK) == 0)
            withExtendedLifetime(client) {}
        }
        #expect(access(path, F_OK) != 0)
    }

    @Test("The socket of a dead server is replaced; a live one, or another file, is not")
    func stale() throws {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let name = try SocketAddress.Storage(.unix(path: path))
        #expect(name.withPointer { bind(number, $0, $1) } == 0)
        close(number)
        do {
            let listening = try ListeningSocket.unix(path: path, mode: 0o600)
            let path = path
            #expect(
                errorCode { _ = try ListeningSocket.unix(path: path, mode: 0o600) } == EADDRINUSE)
            withExtendedLifetime(listening.descriptor) {}
        }
        try Data().write(to: URL(filePath: path))
        #expect(errorCode { _ = try ListeningSocket.unix(path: path, mode: 0o600) } == EADDRINUSE)
        #expect(access(path, F_OK) == 0)
        unlink(path)
    }

    @Test("A server that is too busy to answer is not dead")
    func busy() throws {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let address = SocketAddress.unix(path: path)
        let name = try SocketAddress.Storage(address)
        #expect(name.withPointer { bind(number, $0, $1) } == 0 && listen(number, 0) == 0)
        var clients: [End] = []
        while let client = try? End.connect(to: address) { clients.append(client) }
        #expect(!clients.isEmpty)
        #expect(errorCode { _ = try ListeningSocket.unix(path: path, mode: 0o600) } == EADDRINUSE)
        #expect(access(path, F_OK) == 0)
        close(number)
        unlink(path)
    }

    @Test("A file that another server created since is not removed")
    func successor() throws {
        do {
            let first = try ListeningSocket.unix(path: path, mode: 0o600)
            unlink(path)
            try Data().write(to: URL(filePath: path))
            withExtendedLifetime(first.descriptor) {}
        }
        #expect(access(path, F_OK) == 0)
        unlink(path)
    }

    @Test(
        "Only sockets that systemd meant for this process are used",
        arguments: [
            ("7", "2", "a:b", ["a", "b"]), ("7", "2", "a", ["a", "unknown"]),
            ("7", "2", "a:", ["a", ""]), ("7", "1", nil, ["unknown"]), ("8", "1", "a", nil),
            ("7", "0", "", nil), ("7", "-1", nil, nil), ("7", "many", nil, nil),
            (nil, "1", "a", nil),
            ("7", nil, nil, nil), ("7", "99999999999", nil, nil),
        ] as [(String?, String?, String?, [String]?)])
    func systemd(process: String?, count: String?, names: String?, expected: [String]?) {
        let sockets = SystemdSockets(
            process: process, count: count, names: names, ownProcess: 7)
        #expect(sockets?.names == expected)
        #expect(sockets.map { $0.descriptors.count } == expected?.count)
    }

    @Test("Sockets from systemd accept connections, and the variables are removed")
    func handedOver() async {
        await #expect(processExitsWith: .success) {
            guard let address = SocketAddress("127.0.0.1:0") else { exit(1) }
            let original = try ListeningSocket.tcp(address)
            // The numbers that systemd uses belong to the test's own channel.
            guard dup2(original.descriptor, 200) == 200, dup2(STDERR_FILENO, 201) == 201 else {
                exit(2)
            }
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "web:log", 1)
            guard let sockets = SystemdSockets.inherit(first: 200), sockets.names == ["web", "log"]
            else {
                exit(3)
            }
            let environment = ProcessInfo.processInfo.environment.keys
            let isClean = !environment.contains { $0.hasPrefix("LISTEN_") }
            guard isClean, SystemdSockets.inherit() == nil else { exit(4) }
            let listening = try sockets.socket(at: 0)
            guard listening.descriptor == 200, listening.address == original.address,
                fcntl(200, F_GETFD) & FD_CLOEXEC != 0, fcntl(200, F_GETFL) & O_NONBLOCK != 0
            else { exit(5) }
            let client = try Socket.connect(to: listening.address)
            _ = try listening.acceptNext()
            do {
                _ = try sockets.socket(at: 1)
                exit(7)
            } catch {}
            _ = (original.descriptor, client.descriptor)
        }
    }
}
