import Foundation
import Testing

@testable import System

@Suite("A group of loops")
struct LoopGroupTests {
    /// Echoes each byte; when asked to drain it ends after the next one.
    // Unchecked: it is used on the thread of one loop.
    private final class Echo: EventHandler, ConnectionHandler, @unchecked Sendable {
        private let loop: EventLoop
        private var socket: Socket?
        private var isDraining = false

        init(_ loop: EventLoop) { self.loop = loop }

        func accepted(_ socket: consuming Socket, from peer: SocketAddress, by listener: Listener) {
            let echo = Echo(loop)
            let descriptor = socket.descriptor
            echo.socket = consume socket
            #expect(throws: Never.self) {
                _ = try loop.watch(descriptor, for: .readable, echo)
            }
        }

        func cannotAccept(_ reason: SystemError, by listener: Listener) {
            Issue.record("\(reason)")
        }

        func ready(_ readiness: Readiness, of watch: WatchID) {
            var bytes: [UInt8] = [0]
            var span = bytes.mutableSpan
            switch socket?.read(into: &span) {
            case .bytes:
                #expect(socket?.write(bytes.span) == .bytes(1))
                if isDraining { loop.unwatch(watch) }
            case .wouldBlock: break
            case .closed, .failed, nil: loop.unwatch(watch)
            }
        }

        func drain() { isDraining = true }
    }

    private func withServer(
        count: Int, _ body: (LoopGroup, SocketAddress) async throws -> Void
    ) async throws -> [LoopEnding] {
        let group = try LoopGroup(count: count)
        let first = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let address = first.address
        var listeners: [Listener] = []
        for loop in group.loops {
            listeners.append(Listener(try first.sibling(), on: loop, Echo(loop)))
        }
        _ = consume first
        for (loop, listener) in zip(group.loops, listeners) {
            loop.post { #expect(throws: Never.self) { try listener.start() } }
        }
        try group.start(name: "echo")
        try await body(group, address)
        return group.join()
    }

    private func roundTrip(_ client: End) throws {
        #expect(try client.write("x") == .bytes(1))
        try client.waitUntilReadable()
        #expect(try client.read() == .bytes(1))
    }

    @Test("Each loop has a thread with a name, and serves its share of one port")
    func serves() async throws {
        let endings = try await withServer(count: 2) { group, address in
            for loop in group.loops {
                let name = try await loop.perform {
                    try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                }
                #expect(["echo-0\n", "echo-1\n"].contains(name))
            }
            var clients: [End] = []
            for _ in 0..<40 {
                let client = try End.connect(to: address)
                try roundTrip(client)
                clients.append(client)
            }
            var watched: [Int] = []
            for loop in group.loops {
                watched.append(try await loop.perform { loop.watchers.count })
            }
            #expect(watched.reduce(0, +) == 42 && watched.allSatisfy { $0 > 1 })
            group.stop()
        }
        #expect(endings == [.stopped, .stopped])
    }

    @Test("Draining accepts no new connections and lets existing ones finish")
    func drains() async throws {
        let endings = try await withServer(count: 1) { group, address in
            let client = try End.connect(to: address)
            try roundTrip(client)
            group.drain(within: .seconds(20))
            // The listener has closed once its loop watches one descriptor less.
            while try await group.loops[0].perform({ group.loops[0].watchers.count }) > 1 {}
            let late = try End.connect(to: address)
            #expect(try late.read().isFailure)
            // The last exchange of the running connection.
            try roundTrip(client)
            #expect(try client.readToEnd() == 0)
        }
        #expect(endings == [.drained])
    }

    @Test("A connection that does not finish is cut when the time is over")
    func cut() async throws {
        let endings = try await withServer(count: 1) { group, address in
            let client = try End.connect(to: address)
            try roundTrip(client)
            group.drain(within: .milliseconds(50))
            #expect(try client.readToEnd() == 0)
        }
        #expect(endings == [.cut(1)])
    }

    @Test("All handlers are asked to drain once, also those added meanwhile")
    func latecomers() throws {
        let loop = try EventLoop()
        let (ours, theirs) = try End.pair()
        let early = (0..<600).map { _ in Probe() }
        let late = Probe()
        var copies: [Int32] = []
        for probe in early {
            let copy = fcntl(ours.descriptor, F_DUPFD_CLOEXEC, 0)
            copies.append(copy)
            _ = try loop.watch(copy, for: .readable, probe)
        }
        early[599].onDrain = {
            #expect(throws: Never.self) {
                _ = try loop.watch(ours.descriptor, for: .readable, late)
            }
        }
        late.onDrain = { loop.stop() }
        loop.drain(within: .seconds(20))
        #expect(loop.run() == .stopped)
        #expect(early.allSatisfy { $0.drainCount == 1 } && late.drainCount == 1)
        copies.forEach { close($0) }
        withExtendedLifetime(theirs) {}
    }

    @Test("A stop wins over a drain, and a second drain only shortens the first")
    func closing() {
        var closing = LoopClosing()
        #expect(closing.ending(watched: 0, now: Instant(nanoseconds: 0)) == nil)
        closing.drain(until: Instant(nanoseconds: 100))
        closing.drain(until: Instant(nanoseconds: 200))
        #expect(closing.ending(watched: 1, now: Instant(nanoseconds: 99)) == nil)
        #expect(closing.ending(watched: 1, now: Instant(nanoseconds: 100)) == .cut(1))
        #expect(closing.ending(watched: 0, now: Instant(nanoseconds: 1)) == .drained)
        closing.stop()
        #expect(closing.ending(watched: 0, now: Instant(nanoseconds: 1)) == .stopped)
    }

    @Test("A loop that ends releases its handlers, and their sockets close")
    func letsGo() throws {
        let loop = try EventLoop()
        let (ours, theirs) = try End.pair()
        final class Owner: EventHandler, TimerHandler {
            let end: End
            let loop: EventLoop
            var timer: TimerID?
            init(_ end: End, _ loop: EventLoop) { (self.end, self.loop) = (end, loop) }
            deinit { if let timer { loop.cancel(timer) } }
            func ready(_ readiness: Readiness, of watch: WatchID) {}
            func timerFired(_ cookie: UInt64) {}
            func drain() {}
        }
        let number = ours.descriptor
        try {
            let socket = try ours.take()
            let owner = Owner(End(socket), loop)
            owner.timer = loop.schedule(after: Interval(.seconds(60)), owner)
            _ = try loop.watch(number, for: .readable, owner)
        }()
        loop.stop()
        #expect(loop.run() == .stopped)
        #expect(try theirs.read() == .closed)
    }

    @Test("So are handlers that the last calls of a loop add")
    func letsGoOfTheLast() throws {
        weak var held: Probe?
        try {
            let loop = try EventLoop()
            let (ours, theirs) = try End.pair()
            let probe = Probe()
            held = probe
            probe.onTimer = { _ in loop.stop() }
            probe.onReady = { _, _ in loop.stop() }
            loop.stop()
            // Too much for the last turn.
            for _ in 0..<2_000 { loop.post {} }
            loop.post(add)
            #expect(loop.run() == .stopped)

            @Sendable func add() {
                _ = loop.schedule(after: Interval(.seconds(60)), probe)
                #expect(throws: Never.self) {
                    _ = try loop.watch(ours.descriptor, for: .readable, probe)
                }
            }
            withExtendedLifetime(theirs) {}
        }()
        #expect(held == nil)
    }
}

extension Transfer {
    /// A refused connection attempt, as its reader sees it.
    var isFailure: Bool {
        if case .failed = self { return true }
        return false
    }
}
