import Foundation
import Testing
@testable import System

@Suite("Watched descriptors")
struct WatcherTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    @Test("A handler gets the events it asked for, and no others")
    func interest() throws {
        let (ours, theirs) = try End.pair()
        let probe = Probe()
        var seen: [Readiness] = []
        let watch = try loop.watch(ours.descriptor, for: .writable, probe)
        #expect(try theirs.write("x") == .bytes(1))
        probe.onReady = { readiness, _ in
            seen.append(readiness)
            switch seen.count {
            case 1: self.loop.setInterest(.readable, of: watch)
            case 2: self.loop.setInterest([.readable, .writable], of: watch)
            case 3: self.loop.setInterest([], of: watch)
            default: Issue.record("told without an interest")
            }
            if seen.count == 3 { self.loop.stop(after: .milliseconds(20)) }
        }
        loop.runUntilStopped()
        #expect(seen == [.writable, .readable, [.readable, .writable]])
        withExtendedLifetime((ours, theirs)) {}
    }

    @Test("A half-closed peer is reported to a reader and does not wake a writer")
    func halfClosed() throws {
        let (ours, theirs) = try End.pair()
        let probe = Probe()
        while case .bytes = try ours.write(String(repeating: "x", count: 60_000)) {}
        try theirs.use { $0.shutdownWriting() }
        let watch = try loop.watch(ours.descriptor, for: .readable, probe)
        probe.onReady = { readiness, _ in
            #expect(readiness.isSuperset(of: [.readable, .peerClosed]))
            self.loop.setInterest(.writable, of: watch)
            self.loop.stop(after: .milliseconds(20))
        }
        loop.runUntilStopped()
        #expect(probe.readyCount == 1)
        #expect(try ours.read() == .closed)
    }

    @Test("A broken connection is reported as readable or writable, as requested")
    func broken() {
        for broken in [Readiness.hangUp, .error] {
            for interest in [Interest.readable, .writable, [.readable, .writable], []] {
                let readiness = Readiness(mask: broken.rawValue, interest: interest)
                #expect(readiness.contains(.readable) == interest.contains(.readable))
                #expect(readiness.contains(.writable) == interest.contains(.writable))
            }
        }
    }

    @Test("A broken connection is reported once to a handler without interest")
    func hangUp() throws {
        let (ours, theirs) = try End.pair()
        let probe = Probe()
        probe.onReady = { readiness, _ in #expect(readiness.contains(.hangUp)) }
        _ = try loop.watch(ours.descriptor, for: [], probe)
        theirs.close()
        loop.stop(after: .milliseconds(30))
        loop.runUntilStopped()
        #expect(probe.readyCount == 1)
        #expect(loop.turns < 6)
    }

    @Test("A writer on a broken connection learns the reason by writing")
    func hangUpOfWriter() throws {
        let (ours, theirs) = try End.pair()
        while case .bytes = try ours.write(String(repeating: "x", count: 60_000)) {}
        let probe = Probe()
        probe.onReady = { readiness, _ in
            #expect(readiness.contains(.writable))
            self.loop.stop()
        }
        _ = try loop.watch(ours.descriptor, for: .writable, probe)
        theirs.close()
        loop.runUntilStopped()
        #expect(probe.readyCount == 1)
        #expect(try ours.write("x") == .closed)
    }

    @Test("A watch ended by another handler gets no event of the same turn")
    func endedInBatch() throws {
        let (one, onePeer) = try End.pair()
        let (two, twoPeer) = try End.pair()
        #expect(try onePeer.write("x") == .bytes(1))
        #expect(try twoPeer.write("x") == .bytes(1))
        let (first, second) = (Probe(), Probe())
        let firstWatch = try loop.watch(one.descriptor, for: .readable, first)
        let secondWatch = try loop.watch(two.descriptor, for: .readable, second)
        first.onReady = { _, _ in
            self.loop.unwatch(secondWatch)
            self.loop.stop(after: .milliseconds(10))
            self.loop.setInterest([], of: firstWatch)
        }
        second.onReady = { _, _ in
            self.loop.unwatch(firstWatch)
            self.loop.stop(after: .milliseconds(10))
            self.loop.setInterest([], of: secondWatch)
        }
        loop.runUntilStopped()
        #expect(first.readyCount + second.readyCount == 1)
        // The later handler changes nothing.
        loop.unwatch(firstWatch)
        loop.setInterest(.readable, of: secondWatch)
        withExtendedLifetime((one, two)) {}
    }

    @Test("An event of a closed descriptor does not reach a new one with the same number")
    func reusedNumber() throws {
        let (one, onePeer) = try End.pair()
        let (two, twoPeer) = try End.pair()
        let numbers = [one.descriptor, two.descriptor]
        #expect(try onePeer.write("x") == .bytes(1))
        #expect(try twoPeer.write("x") == .bytes(1))
        let (first, second, newcomer) = (Probe(), Probe(), Probe())
        let watches = try [
            loop.watch(numbers[0], for: .readable, first),
            loop.watch(numbers[1], for: .readable, second),
        ]
        let (quiet, quietPeer) = try End.pair()
        /// Closes the other descriptor and puts a quiet socket in its place.
        func replace(_ other: Int) {
            loop.unwatch(watches[other])
            #expect(dup2(quiet.descriptor, numbers[other]) == numbers[other])
            #expect(throws: Never.self) {
                try self.loop.watch(numbers[other], for: .readable, newcomer)
            }
            loop.unwatch(watches[1 - other])
            loop.stop(after: .milliseconds(20))
        }
        first.onReady = { _, _ in replace(1) }
        second.onReady = { _, _ in replace(0) }
        loop.runUntilStopped()
        #expect(first.readyCount + second.readyCount == 1)
        #expect(newcomer.readyCount == 0)
        withExtendedLifetime((one, two, quietPeer)) {}
    }

    @Test("A handler may end its own watch and is then released")
    func released() throws {
        let (ours, theirs) = try End.pair()
        #expect(try theirs.write("x") == .bytes(1))
        var probe: Probe? = Probe()
        weak let held = probe
        probe?.onReady = { [loop] _, watch in
            loop.unwatch(watch)
            loop.stop()
        }
        _ = try loop.watch(ours.descriptor, for: .readable, probe ?? Probe())
        probe = nil
        #expect(held != nil)
        loop.runUntilStopped()
        #expect(held == nil)
    }

    @Test("Descriptors that are always ready, and calls that post calls, do not starve others")
    func fairness() throws {
        let (ours, theirs) = try End.pair()
        #expect(try theirs.write("x") == .bytes(1))
        let (greedy, patient) = (Probe(), Probe())
        _ = try loop.watch(ours.descriptor, for: .readable, greedy)
        @Sendable func again() { loop.post { again() } }
        again()
        patient.onTimer = { [unowned patient] cookie in
            guard cookie < 5 else { return self.loop.stop() }
            _ = self.loop.schedule(after: Interval(.milliseconds(1)), patient, cookie: cookie + 1)
        }
        _ = loop.schedule(after: Interval(.milliseconds(5)), patient, cookie: 0)
        loop.runUntilStopped()
        #expect(patient.cookies == [0, 1, 2, 3, 4, 5])
        #expect(greedy.readyCount >= 5)
    }

    @Test("A descriptor closed while watched is noticed before its events reach another handler")
    func closedWhileWatched() async {
        await #expect(processExitsWith: .failure) {
            let loop = try EventLoop()
            let probe = Probe()
            do {
                let (ours, _) = try End.pair()
                _ = try loop.watch(ours.descriptor, for: .readable, probe)
            }
            let (again, _) = try End.pair()
            _ = try loop.watch(again.descriptor, for: .readable, probe)
            exit(0)
        }
    }

    @Test("Ten thousand idle watches and timers wake nobody")
    func idle() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 12_000, rlim_max: 12_000)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let loop = try EventLoop()
            let probe = Probe()
            let (ours, theirs) = try End.pair()
            for _ in 0..<10_000 {
                let copy = fcntl(ours.descriptor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { exit(1) }
                _ = try loop.watch(copy, for: .readable, probe)
                _ = loop.schedule(after: Interval(.seconds(60)), probe)
            }
            loop.stop(after: .milliseconds(200))
            _ = loop.run()
            guard probe.readyCount == 0, probe.cookies.isEmpty else { exit(2) }
            // One turn that finds nothing, one for the timer, and rounding by the kernel.
            guard loop.turns <= 4 else { exit(3) }
            withExtendedLifetime(theirs) {}
            exit(0)
        }
    }
}
