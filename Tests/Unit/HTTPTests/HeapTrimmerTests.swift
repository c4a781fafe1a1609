import Foundation
import System
import Testing

@testable import HTTP

@Suite("Heap memory after many connections")
struct HeapTrimmerTests {
    private let delay = Duration.milliseconds(50)

    @Test(
        "is given back once when half of them have gone, but not after only a few connections",
        arguments: [(1_000, 400, 1), (1_000, 501, 0), (3, 0, 0), (4, 2, 1)])
    func rests(peak: Int, left: Int, count: Int) throws {
        let loop = try EventLoop()
        let rest = HeapTrimmer(on: loop, after: delay)
        for number in 1...peak { rest.rose(to: number) }
        for number in (left..<peak).reversed() { rest.fell(to: number) }
        // The timer of the trim is the earlier one.
        let end = LoopEnd(loop)
        _ = loop.schedule(after: Interval(.milliseconds(60)), end)
        _ = loop.run()
        #expect(rest.trimCount == count)
    }

    @Test("is given back once it is quiet after much was read, but not after a little")
    func load() throws {
        let loop = try EventLoop()
        let (busy, idle) = (
            HeapTrimmer(on: loop, after: delay), HeapTrimmer(on: loop, after: delay)
        )
        for _ in 0..<1_000 { busy.read(32 << 10) }
        for _ in 0..<100 { idle.read(32 << 10) }
        let more = Later { busy.read(16 << 20) }
        _ = loop.schedule(after: Interval(.milliseconds(30)), more)
        let counted = Later { #expect(busy.trimCount == 0, "it is not quiet yet") }
        _ = loop.schedule(after: Interval(.milliseconds(70)), counted)
        let end = LoopEnd(loop)
        _ = loop.schedule(after: Interval(.milliseconds(150)), end)
        _ = loop.run()
        #expect(busy.trimCount == 1 && idle.trimCount == 0)
    }

    @Test("is given back again when the last connections end")
    func lastOnes() throws {
        let loop = try EventLoop()
        let rest = HeapTrimmer(on: loop, after: delay)
        for number in 1...10 { rest.rose(to: number) }
        for number in (1..<10).reversed() { rest.fell(to: number) }
        let end = LoopEnd(loop)
        let last = Later {
            rest.fell(to: 0)
            _ = loop.schedule(after: Interval(.milliseconds(60)), end)
        }
        _ = loop.schedule(after: Interval(.milliseconds(60)), last)
        _ = loop.run()
        #expect(rest.trimCount == 2)
    }
}

private final class Later: TimerHandler {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func timerFired(_ cookie: UInt64) { body() }
}

private final class LoopEnd: TimerHandler {
    private let loop: EventLoop
    init(_ loop: EventLoop) { self.loop = loop }
    func timerFired(_ cookie: UInt64) { loop.stop() }
}

@Suite("The default timeouts of a server")
struct DefaultPatienceTests {
    @Test("Slow and silent peers are kept no longer than this")
    func defaults() {
        let limits = HTTPService.Limits()
        #expect(limits.handshake == .seconds(10) && limits.connections == 50_000)
        let http1 = [limits.patience.head, limits.patience.body, limits.patience.idle]
        #expect(http1 == [.seconds(10), .seconds(30), .seconds(75)])
        let http2 = [limits.patience2.head, limits.patience2.body, limits.patience2.idle]
        #expect(http2 == http1 && limits.patience2.answer == .seconds(60))
        #expect(limits.patience.lingering == .seconds(2))
        #expect(limits.patience.lingeringBytes == 512 * 1024)
        #expect(HeapTrimmer.delay == .seconds(2))
    }
}
