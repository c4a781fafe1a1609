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

    /// A desktop's links on a loop that the test runs.
    private final class Session: PushLinkListener {
        let loop: EventLoop
        let store: DesktopStore
        let links: ReceiverLinks
        var events: [LinkEvent] = []

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
            links.listener = self
            try use(receivers)
        }

        func use(_ receivers: [String]) throws {
            try links.use(receivers.compactMap { ReceiverAddress($0) })
        }

        func heard(_ event: LinkEvent) { events.append(event) }

        /// What the distributor was told. Call it once.
        func run() -> [LinkEvent] {
            let (loop, links) = (loop, links)
            loop.post {
                links.end()
                loop.stop()
            }
            _ = loop.run()
            return events
        }

        var refusals: Int {
            events.count { if case .refused = $0 { true } else { false } }
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
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        try session.use([])
        #expect(session.links.held[Self.channel] != nil && session.links.connections.isEmpty)
        #expect(try session.store.receiversGone() != nil)
        try session.use([Self.second, Self.first])
        #expect(session.receiver(of: Self.channel) == 1 && session.links.held.isEmpty)
        #expect(try session.store.receiversGone() == nil)
        let events = session.run()
        #expect(session.refusals == 0)
        #expect(events.contains { if case .unlisted(until: .some) = $0 { true } else { false } })
        #expect(events.last == .unlisted(until: nil))
    }

    @Test("If another receiver is listed instead, the channel moves there")
    func replaced() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        try session.use([])
        try session.use([Self.second])
        #expect(session.receiver(of: Self.channel) == 0)
        _ = session.run()
        #expect(session.refusals == 0)
    }

    @Test("A restart keeps what was registered, and refuses only what is new")
    func restarted() throws {
        var session = try Session(self, receivers: [Self.first])
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        _ = session.run()
        session = try Session(self, receivers: [])
        session.links.perform(.register(Self.channel, key: nil, known: Self.endpoint))
        session.links.perform(.register(Self.other, key: nil, known: nil))
        session.links.start()
        #expect(session.links.held[Self.channel]?.known == Self.endpoint)
        try session.use([Self.first])
        #expect(session.receiver(of: Self.channel) == 0)
        #expect(session.links.connections[0].link.channels[Self.channel]?.endpoint == Self.endpoint)
        #expect(session.run().contains(.refused(Self.other, .actionRequired)))
        #expect(session.refusals == 1)
    }

    @Test("After a day the registrations end, and a restart does not begin the day anew")
    func over() throws {
        var session = try Session(self, receivers: [Self.first])
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        _ = session.run()
        session = try Session(self, receivers: []) { store in
            let early = store.now - time(Self.day + 1)
            try store.setReceiversGone(early)
        }
        session.links.perform(.register(Self.channel, key: nil, known: Self.endpoint))
        #expect(session.run().contains(.refused(Self.channel, .actionRequired)))
    }

    @Test("What is held ends when its day is over")
    func ended() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        try session.use([])
        let early = session.store.now - time(Self.day + 1)
        session.links.grace = ReceiverGrace(since: early)
        session.links.graceElapsed()
        #expect(session.run().contains(.refused(Self.channel, .actionRequired)))
        #expect(session.links.held.isEmpty)
    }

    @Test("A channel that its application ends meanwhile is ended at the receiver later")
    func unregistered() throws {
        let session = try Session(self, receivers: [Self.first])
        session.links.perform(.register(Self.channel, key: nil, known: nil))
        try session.use([])
        session.links.perform(.unregister(Self.channel))
        #expect(try session.store.channels().map(\.isEnded) == [true])
        try session.use([Self.first])
        #expect(session.links.connections[0].link.ended == [Self.channel])
        #expect(session.receiver(of: Self.channel) == 0)
        _ = session.run()
    }

    @Test("apps says until when an application is kept")
    func said() throws {
        var stage = try Stage.running()
        #expect(stage.machine.applications.first?.end == nil)
        #expect(stage.heard(.unlisted(until: 5)).isEmpty)
        #expect(stage.machine.applications.first?.end == 5)
        _ = stage.heard(.unlisted(until: nil))
        #expect(stage.machine.applications.first?.end == nil)
    }
}
