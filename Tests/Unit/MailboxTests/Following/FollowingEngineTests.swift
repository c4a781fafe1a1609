import Foundation
import Testing

@testable import Mailbox

@Suite("Engines of stores that stay alike")
struct FollowingEngineTests {
    /// Keeps the texts for everybody, and whether an engine has ended.
    // Unchecked: all state is only touched under the lock.
    private final class Listener: StoreListener, @unchecked Sendable {
        private let lock = NSLock()
        private var heard: [String] = []

        func receive(_ news: [EngineNews]) {
            lock.withLock {
                for item in news {
                    switch item.content {
                    case .encoded(let updates, _, _):
                        heard += updates.map { String(decoding: $0.text, as: UTF8.self) }
                    case .updates(let updates):
                        heard += EncodedUpdate.all(updates).map {
                            String(decoding: $0.text, as: UTF8.self)
                        }
                    case .ended: heard.append("ended")
                    default: break
                    }
                }
            }
        }

        func storeReturned() {}

        func has(_ part: String) -> Bool {
            lock.withLock { heard.contains { $0.contains(part) } }
        }

        func wait(for part: String) -> Bool {
            let deadline = Date(timeIntervalSinceNow: 60)
            while !has(part), Date() < deadline { usleep(2_000) }
            return has(part)
        }
    }

    private static let payload =
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ann","Lunch?"],"user_id":42,"#
        + #""custom":{"from_id":"7","msg_id":"1"}}"#

    @Test("A client hears of a push that came to another node, and of the end of its account")
    func news() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let (registration, subscription) = try first.addRegistration()
        try group.settle()
        let engine = registration.device
        let listener = Listener()
        let index = second.store.index.engines
        index.listen(listener, to: engine)
        index.addFetcher(of: engine)
        let client = EngineClientID(engine: engine, number: index.nextClient())
        try second.expectDone(.engine(.join(client, EngineRole())))
        try group.settle()
        #expect(first.store.index.engines.hasFetchers(engine))
        _ = try first.receive(subscription.address, Self.payload)
        #expect(listener.wait(for: "Lunch?"))
        index.removeFetcher(of: engine)
        index.stopListening(listener, to: engine, at: second.now)
        let deadline = Date(timeIntervalSinceNow: 60)
        while first.store.index.engines.hasListeners(engine), Date() < deadline { usleep(2_000) }
        #expect(!first.store.index.engines.hasListeners(engine))
        index.listen(listener, to: engine)
        while !first.store.index.engines.hasListeners(engine), Date() < deadline { usleep(2_000) }
        try first.expectDone(.removeDevice(registration.device))
        #expect(listener.wait(for: "ended"))
        try group.expectAlike()
    }

    @Test("The clients of a node that is gone are forgotten, and those of one that lives are not")
    func lost() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let (registration, _) = try first.addRegistration()
        try group.settle()
        let index = second.store.index.engines
        index.listen(Listener(), to: registration.device)
        index.addFetcher(of: registration.device)
        let deadline = Date(timeIntervalSinceNow: 60)
        let fetched = { first.store.index.engines.engines(fetchedAt: "node-1") }
        while fetched().isEmpty, Date() < deadline { usleep(2_000) }
        #expect(fetched() == [registration.device])
        try first.expectDone(.engine(.lost(node: "node-1")))
        // It reads that, and writes them down again.
        while fetched().isEmpty, Date() < deadline { usleep(2_000) }
        #expect(fetched() == [registration.device])
        second.close()
        try first.expectDone(.engine(.lost(node: "node-1")))
        #expect(!first.store.index.engines.hasListeners(registration.device))
        #expect(try first.run(.engine(.lost(node: "node-1"))) == .notFound)
    }

    @Test("A store that is cut off writes down its clients when it follows again")
    func cutOff() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let (registration, _) = try first.addRegistration()
        try group.settle()
        group.log.isCurrent = false
        group.log.fate = .lost
        let (listener, engine) = (Listener(), registration.device)
        second.store.index.engines.listen(listener, to: engine)
        // An entry of which nobody knows would close the store.
        let moment = Date(timeIntervalSinceNow: 0.3)
        while second.store.writer.isUsable, Date() < moment { usleep(2_000) }
        #expect(second.store.writer.isUsable)
        #expect(!first.store.index.engines.hasListeners(engine))
        group.log.fate = .stored
        group.log.isCurrent = true
        let deadline = Date(timeIntervalSinceNow: 60)
        while !first.store.index.engines.hasListeners(engine), Date() < deadline { usleep(2_000) }
        #expect(first.store.index.engines.hasListeners(engine))
    }

    @Test("News is read as it was written")
    func record() throws {
        let updates = [
            EncodedUpdate(text: Array("{\"a\":\"\u{e9}\"}".utf8), audience: .actors, isNotice: true)
        ]
        let news = [
            EngineNews(
                engine: 4_000_000_000, content: .encoded(updates, through: 7, hasFetchers: true)),
            EngineNews(engine: 1, content: .deadline(nil)),
            EngineNews(engine: 1, content: .deadline(1_700_000_000.25)),
            EngineNews(engine: 2, content: .ended),
            EngineNews(engine: 3, content: .answer([1], client: 1)),
            EngineNews(engine: 3, content: .isCutOff),
        ]
        var written = EntryNews()
        written.engines = EngineNews.meant(news) { _ in true }
        let read = EntryNews(written.record).engines
        #expect(read.map(\.engine) == [4_000_000_000, 1, 1, 2])
        guard case .encoded(let found, let last, let hasFetchers) = read[0].content,
            case .deadline(nil) = read[1].content, case .deadline(let time?) = read[2].content,
            case .ended = read[3].content
        else { throw AnswerBox.Missing() }
        #expect(found == updates && last == 7 && hasFetchers)
        #expect(time == 1_700_000_000.25)
        #expect(EngineNews.meant(news) { $0 == 9 }.isEmpty)
    }

    @Test("A client's return counts only once its batch does")
    func absence() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let (registration, _) = try first.addRegistration()
        try group.settle()
        let engine = registration.device
        let index = second.store.index.engines
        let listener = Listener()
        func join() throws -> StoreOutcome {
            index.listen(listener, to: engine)
            let client = EngineClientID(engine: engine, number: index.nextClient())
            return try second.run(.engine(.join(client, EngineRole())))
        }
        #expect(try join() == .done)
        let left = second.now
        index.stopListening(listener, to: engine, at: left)
        second.clocks.advance(seconds: 2 * 3_600)
        // The return is in no log, so it has to be there for the next attempt.
        group.log.fate = .lost
        #expect(try join() == .unavailable)
        #expect(index.takeAbsence(of: engine) == left)
        index.putBack([engine: left])
        group.log.fate = .stored
        let deadline = Date(timeIntervalSinceNow: 30)
        while !second.store.isUsable, Date() < deadline { usleep(5_000) }
        #expect(try join() == .done)
        #expect(index.takeAbsence(of: engine) == nil)
    }

    @Test("Callbacks are reminded once a day, and not when a node begins or leads")
    func reminders() throws {
        let group = try FollowingTests.Group(2)
        for test in group.stores {
            test.store.remind { _ in "{}" }
            #expect(!test.store.index.reminders.isUnderWay)
        }
    }
}
