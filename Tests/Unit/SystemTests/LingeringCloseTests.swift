import Foundation
import Testing
@testable import System

@Suite("Lingering close")
struct LingeringCloseTests {
    private let loop: EventLoop
    private let client: End
    private let server: End

    init() throws {
        loop = try EventLoop()
        let listening = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        client = try End.connect(to: listening.address)
        (server, _) = try listening.acceptNext()
    }

    private func answerAndEnd(_ bytes: Int, _ limit: Duration) throws {
        #expect(try server.write("refused") == .bytes(7))
        let socket = try server.take()
        LingeringClose.begin(socket, on: loop, atMost: bytes, within: Interval(limit))
    }

    @Test("A peer that is still sending reads its answer")
    func answerIsRead() throws {
        #expect(try client.write(String(repeating: "x", count: 30_000)) == .bytes(30_000))
        try answerAndEnd(65_536, .seconds(20))
        let probe = Probe()
        probe.onReady = { [loop, client] _, watch in
            loop.unwatch(watch)
            // The peer does not know yet that nobody reads, and sends more.
            for _ in 0..<2 {
                let more = try? client.write(String(repeating: "x", count: 10_000))
                #expect(more == .bytes(10_000))
            }
            #expect((try? client.readToEnd()) == 7)
            client.close()
            loop.drain(within: .seconds(20))
        }
        _ = try loop.watch(client.descriptor, for: .readable, probe)
        #expect(loop.run() == .drained)
    }

    @Test("Above a number of them, a connection is closed at once, and later ones linger again")
    func share() throws {
        let listening = try ListeningSocket.tcp(#require(SocketAddress("127.0.0.1:0")))
        let clients = try (0..<3).map { _ in try End.connect(to: listening.address) }
        for _ in clients {
            let (end, _) = try listening.acceptNext()
            LingeringClose.begin(
                try end.take(), on: loop, atMost: 1_024, within: Interval(.milliseconds(30)),
                besides: 2)
        }
        #expect(loop.lingering == 2 && loop.schedule.pointee.timers.count == 2)
        loop.drain(within: .seconds(20))
        #expect(loop.run() == .drained)
        #expect(loop.lingering == 0)
        withExtendedLifetime(clients) {}
    }

    @Test("A peer that sends too much, or never ends, is cut", arguments: [true, false])
    func bounds(isTalkative: Bool) throws {
        if isTalkative {
            #expect(try client.write(String(repeating: "x", count: 9_000)) == .bytes(9_000))
        }
        try answerAndEnd(8_192, isTalkative ? .seconds(60) : .milliseconds(30))
        loop.drain(within: .seconds(20))
        #expect(loop.run() == .drained)
        #expect(loop.schedule.pointee.timers.count == 0)
        withExtendedLifetime(client) {}
    }
}
