import Foundation
import Testing

@testable import Reactor

@Suite("What may hang")
struct ErrandsTests {
    /// Blocks whoever reads it until it is closed at the other end.
    private struct Blocker {
        private let ends: (read: Int32, write: Int32)

        init() throws {
            var pipe: [Int32] = [-1, -1]
            try #require(Glibc.pipe(&pipe) == 0)
            ends = (pipe[0], pipe[1])
        }

        var wait: @Sendable () -> Int {
            let end = ends.read
            return {
                var byte: UInt8 = 0
                return read(end, &byte, 1)
            }
        }

        func free() { close(ends.write) }
    }

    @Test("One that hangs is given up in time, others are not kept by it, and its end is told")
    func hanging() throws {
        let loop = try EventLoop()
        let blocker = try Blocker()
        let errands = Errands(on: loop, limit: .milliseconds(100), atMost: 2)
        var story: [String] = []
        errands.run(blocker.wait) { answer in
            story.append("hanging \(answer.map(String.init) ?? "nothing")")
            blocker.free()
        } back: {
            story.append("back")
            loop.stop()
        }
        errands.run {
            7
        } done: { answer in
            story.append("quick \(answer.map(String.init) ?? "nothing")")
        }
        errands.run {
            7
        } done: { answer in
            story.append("third \(answer.map(String.init) ?? "nothing")")
        }
        loop.runUntilStopped()
        #expect(story == ["third nothing", "quick 7", "hanging nothing", "back"])
    }

    @Test("A loop that hangs is waited for no longer than was said")
    func hangingLoop() throws {
        let group = try LoopGroup(count: 2)
        let blocker = try Blocker()
        let wait = blocker.wait
        group.loops[1].post { _ = wait() }
        try group.start(name: "test")
        group.stop()
        #expect(group.join(within: .milliseconds(200)) == [.stopped, nil])
        blocker.free()
    }
}
