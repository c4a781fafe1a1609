import Foundation
import Testing
@testable import System

@Suite("Work that may hang")
struct ErrandsTests {
    /// A pipe that blocks its reader until the other end is closed.
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

    @Test("Hanging work is given up in time, delays no other work, and its end is reported")
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

    @Test("Waiting for a hanging loop ends at the limit")
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
