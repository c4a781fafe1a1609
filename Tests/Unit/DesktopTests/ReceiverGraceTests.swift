import Base
import Crypto
import System
import TestSupport
import Testing
import WebPush

@testable import Desktop

@Suite("Registrations while no receiver is listed")
struct ReceiverGraceTests {
    private static let day: Int64 = 86_400_000
    private let folder: TemporaryFolder
    private let master: MasterKey

    init() throws {
        folder = try TemporaryFolder()
        master = try MasterKey.generate()
    }

    private func time(_ milliseconds: Int64) -> Duration { .milliseconds(milliseconds) }

    @Test("The day begins with the first empty list, and ends only once")
    func value() {
        var grace = ReceiverGrace(since: nil)
        #expect(!grace.listed(1, at: time(1)) && grace.end == nil)
        #expect(grace.listed(0, at: time(5)) && grace.since == time(5))
        #expect(!grace.listed(0, at: time(9)) && grace.since == time(5))
        #expect(grace.isRunning(at: time(5 + Self.day - 1)))
        #expect(!grace.isRunning(at: time(5 + Self.day)))
        // A restart, and another mistake later.
        var next = ReceiverGrace(since: grace.since)
        #expect(!next.listed(0, at: time(Self.day * 2)) && !next.isRunning(at: time(Self.day * 2)))
        #expect(next.listed(2, at: time(Self.day * 3)) && next.since == nil)
        #expect(next.listed(0, at: time(Self.day * 4)) && next.isRunning(at: time(Self.day * 4)))
    }

    /// A desktop's links on a loop that the test runs, and a distributor where two applications wait
    /// for their endpoints.
    private final class Session {
        let loop: EventLoop
        let store: DesktopStore
        let links: ReceiverLinks
        private var stage = Stage()
        /// The answers to the applications.
        private(set) var refusals: [ChannelID: RegistrationFailure] = [:]
        /// When the registrations were to end, after each event.
        private(set) var ends: [Int64?] = []

        init(
            _ test: ReceiverGraceTests, receivers: [String],
            _ prepare: (DesktopStore) throws -> Void = { _ in }
        ) throws {
            loop = try EventLoop()
            store = try DesktopStore(
                folder: try StateFolder(test.folder.path + "/desktop"), masterKey: test.master)
            try prepare(store)
            links = try ReceiverLinks(
                store: store, trust: try TLSContext(client: .system, protocols: [.http1]),
                on: loop, log: Log())
            _ = stage.register("one", channel: ReceiverGraceTests.channel)
            _ = stage.register("two", channel: ReceiverGraceTests.other)
            links.tell = { [weak self] event in self?.hear(event) }
            try use(receivers)
        }

        func use(_ receivers: [String]) throws {
            try links.use(receivers.compactMap { ReceiverAddress($0) })
        }

        private func hear(_ event: ReceiverLinks.Event) {
            for case .answer(let call, .failed(let reason)) in stage.hear(event) {
                refusals[call == 1 ? ReceiverGraceTests.channel : ReceiverGraceTests.other] = reason
            }
            ends.append(stage.machine.end)
        }

        /// Until all events have arrived. Call it once.
        func run() {
            let (loop, links) = (loop, links)
            loop.post {
                links.end()
                loop.stop()
            }
            _ = loop.run()
        }

        /// The receiver of a channel, by its place in the list.
        func receiver(of channel: ChannelID) -> Int? {
            let row = links.receivers[channel]
            return links.connections.firstIndex { $0.row == row }
        }
    }

    private static let first = "ws://127.0.0.1:1/u/first"
    private static let second = "ws://127.0.0.1:2/u/second"
    private static let endpoint = "https://push.example/wpush/v1/a"
    private static let channel = ChannelID(Bits128(high: 1, low: 2))
    private static let other = ChannelID(Bits128(high: 3, low: 4))

    @Test("A list that becomes empty ends nothing; its receiver has its channel when it is back")
    func emptied() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        try session.use([])
        #expect(
            session.links.heldChannels[Self.channel]?.request != nil
                && session.links.connections.isEmpty)
        #expect(try session.store.receiversGone() != nil)
        try session.use([Self.second, Self.first])
        #expect(session.receiver(of: Self.channel) == 1 && session.links.heldChannels.isEmpty)
        #expect(try session.store.receiversGone() == nil)
        session.run()
        #expect(session.refusals.isEmpty)
        #expect(session.ends.contains { $0 != nil })
        #expect(session.ends.last == .some(nil))
    }

    @Test("If another receiver is listed instead, the channel moves there")
    func replaced() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        try session.use([])
        try session.use([Self.second])
        #expect(session.receiver(of: Self.channel) == 0)
        session.run()
        #expect(session.refusals.isEmpty)
    }

    @Test("A restart keeps what was registered, and refuses only what is new")
    func restarted() throws {
        var session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        session.run()
        session = try Session(self, receivers: [])
        session.links.register(Self.channel, nil, known: Self.endpoint)
        session.links.register(Self.other, nil, known: nil)
        session.links.start()
        #expect(session.links.heldChannels[Self.channel]?.request?.known == Self.endpoint)
        try session.use([Self.first])
        #expect(session.receiver(of: Self.channel) == 0)
        #expect(session.links.connections[0].link.channels[Self.channel]?.endpoint == Self.endpoint)
        session.run()
        #expect(session.refusals == [Self.other: .actionRequired])
    }

    @Test("After a day the registrations end, and a restart does not begin the day anew")
    func over() throws {
        var session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        session.run()
        session = try Session(self, receivers: []) { store in
            let early = store.now - time(Self.day + 1)
            try store.setReceiversGone(early)
        }
        session.links.register(Self.channel, nil, known: Self.endpoint)
        session.run()
        #expect(session.refusals == [Self.channel: .actionRequired])
    }

    @Test("What is held ends when its day is over")
    func ended() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        try session.use([])
        let early = session.store.now - time(Self.day + 1)
        session.links.grace = ReceiverGrace(since: early)
        session.links.graceElapsed()
        session.run()
        #expect(session.refusals == [Self.channel: .actionRequired])
        #expect(session.links.heldChannels.isEmpty)
    }

    @Test("A channel that its application ends meanwhile is ended at the receiver later")
    func unregistered() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.register(Self.channel, nil, known: nil)
        try session.use([])
        session.links.unregister(Self.channel)
        #expect(try session.store.channels().map(\.isEnded) == [true])
        try session.use([Self.first])
        #expect(session.links.connections[0].link.ended == [Self.channel])
        #expect(session.receiver(of: Self.channel) == 0)
        session.run()
    }

    @Test("apps says until when an application is kept")
    func said() throws {
        var stage = try Stage.running()
        #expect(stage.machine.applications.first?.end == nil)
        #expect(stage.hear { machine, _ in machine.unlisted(until: 5) }.isEmpty)
        #expect(stage.machine.applications.first?.end == 5)
        _ = stage.hear { machine, _ in machine.unlisted(until: nil) }
        #expect(stage.machine.applications.first?.end == nil)
    }
}
