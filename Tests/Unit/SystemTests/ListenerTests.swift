import Foundation
import Testing
@testable import System

/// Keeps the accepted connections.
// Unchecked: it is used on the thread of one loop.
final class Host: ConnectionHandler, @unchecked Sendable {
    private(set) var connections: [End] = []
    private(set) var peers: [SocketAddress] = []
    private(set) var refusals: [Int32] = []
    var onAccept: (Listener) -> Void = { _ in }
    var onRefusal: () -> Void = {}

    func accepted(_ socket: consuming Socket, from peer: SocketAddress, by listener: Listener) {
        connections.append(End(socket))
        peers.append(peer)
        onAccept(listener)
    }

    func cannotAccept(_ reason: SystemError, by listener: Listener) {
        refusals.append(reason.code)
        onRefusal()
    }
}

@Suite("Listeners")
struct ListenerTests {
    private let loop: EventLoop
    private let host = Host()
    private let listener: Listener
    private let descriptor: Int32

    init() throws {
        loop = try EventLoop()
        let address = try #require(SocketAddress("127.0.0.1:0"))
        let listening = try ListeningSocket.tcp(address)
        descriptor = listening.descriptor
        listener = Listener(listening, on: loop, host)
    }

    @Test("All connections are accepted, over several turns")
    func accepts() throws {
        try listener.start()
        let clients = try (0..<200).map { _ in try End.connect(to: listener.address) }
        try waitForQueue(descriptor, 200)
        host.onAccept = { [unowned host, loop] _ in if host.connections.count == 200 { loop.stop() }
        }
        loop.runUntilStopped()
        #expect(host.connections.count == 200)
        // 64 in each turn.
        #expect((4...6).contains(loop.turns))
        withExtendedLifetime(clients) {}
    }

    @Test("A pause leaves connections waiting, and they are accepted after it")
    func pause() throws {
        try listener.start()
        let clients = try (0..<3).map { _ in try End.connect(to: listener.address) }
        try waitForQueue(descriptor, 3)
        let resume = Probe()
        host.onAccept = { [unowned host, loop] listener in
            guard host.connections.count < 3 else { return loop.stop() }
            guard host.connections.count == 1 else { return }
            listener.pause()
            _ = loop.schedule(after: Interval(.milliseconds(20)), resume)
        }
        resume.onTimer = { [unowned host, unowned listener] _ in
            #expect(host.connections.count == 1)
            #expect(throws: Never.self) { try listener.start() }
        }
        loop.runUntilStopped()
        #expect(host.connections.count == 3)
        withExtendedLifetime(clients) {}
    }

    @Test("Connections waiting at the stop are accepted, later ones are refused")
    func stop() throws {
        let clients = try (0..<3).map { _ in try End.connect(to: listener.address) }
        try waitForQueue(descriptor, 3)
        try listener.start()
        listener.stop()
        #expect(host.connections.count == 3)
        #expect(throws: SystemError.self) { _ = try waitForConnection(listener.address) }
        try listener.start()
        #expect(loop.watchers.count == 0)
        withExtendedLifetime(clients) {}
    }

    private func waitForConnection(_ address: SocketAddress) throws -> End {
        let client = try End.connect(to: address)
        var entry = pollfd(fd: client.descriptor, events: Int16(POLLOUT), revents: 0)
        #expect(poll(&entry, 1, 10_000) == 1)
        if let failure = try client.use({ $0.connectFailure() }) { throw failure }
        return client
    }

    @Test("Out of descriptors it waits, reports that once, and continues when there are some")
    func exhausted() async {
        await #expect(processExitsWith: .success) {
            func setLimit(_ count: rlim_t, _ limit: rlimit) -> Bool {
                var limit = rlimit(rlim_cur: count, rlim_max: limit.rlim_max)
                return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            }
            let loop = try EventLoop()
            guard let address = SocketAddress("127.0.0.1:0") else { exit(1) }
            let host = Host()
            let listener = Listener(try ListeningSocket.tcp(address), on: loop, host)
            try listener.start()
            let client = try Socket.connect(to: listener.address)
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
                setLimit(0, limit)
            else { exit(2) }
            let relief = Probe()
            relief.onTimer = { _ in if !setLimit(limit.rlim_cur, limit) { exit(5) } }
            _ = loop.schedule(after: Interval(.milliseconds(350)), relief)
            host.onAccept = { _ in loop.stop() }
            loop.stop(after: .seconds(20))
            _ = loop.run()
            guard host.connections.count == 1, host.refusals == [EMFILE] else { exit(3) }
            // Four tries in 350 ms with a few turns each: the loop does not spin.
            guard loop.turns < 20 else { exit(4) }
            withExtendedLifetime(client.descriptor) {}
        }
    }
}
