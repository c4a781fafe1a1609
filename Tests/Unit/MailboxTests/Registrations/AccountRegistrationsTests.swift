import Base
import Foundation
import Notifications
import SQLite
import Testing

@testable import Mailbox

@Suite("The registrations of an engine")
struct AccountRegistrationsTests {
    /// Receives the consent that clients are told.
    // Unchecked: the consent is only touched under the lock.
    private final class Listener: StoreListener, @unchecked Sendable {
        private let lock = NSLock()
        private var told: SourceConsent?

        func receive(_ news: [EngineNews]) {
            for item in news {
                switch item.content {
                case .welcome(let updates, _, _): take(updates, default: SourceConsent())
                case .updates(let updates): take(updates, default: nil)
                default: break
                }
            }
        }

        private func take(_ updates: [Update], default absent: SourceConsent?) {
            lock.withLock {
                told = absent ?? told
                for case .consent(let consent) in updates { told = consent }
            }
        }

        func storeReturned() {}
        var consent: SourceConsent? { lock.withLock { told } }
    }

    private let test: TestStore
    private let listener = Listener()
    private var index: EngineIndex { test.store.index.engines }

    init() throws { test = try TestStore() }

    private func register(_ presentation: String) throws -> Registration {
        try test.addRegistration(
            #"{"token_type":10,"app":"a","account":"b","presentation":{\#(presentation)}}"#
        ).0
    }

    /// The consent that a new client is told, or the last one told.
    private func consent(joining engine: UInt32? = nil) throws -> SourceConsent? {
        if let engine {
            let client = EngineClientID(engine: engine, number: index.nextClient())
            try test.expectDone(.engine(.join(client, EngineRole())))
        }
        // News of a commit arrives before the answer to the next operation.
        _ = try test.run(.touchDevice(0, at: 0))
        return listener.consent
    }

    private func expected(_ replies: Bool, _ schemes: String...) -> SourceConsent {
        var consent = SourceConsent()
        (consent.takesReplies, consent.linkSchemes) = (replies, Set(schemes))
        return consent
    }

    @Test("Adding and removing registrations changes what their application agrees to")
    func consent() throws {
        let first = try register(#""link_schemes":["tg"]"#)
        index.listen(listener, to: first.device)
        #expect(try consent(joining: first.device) == expected(false, "tg"))
        let second = try register(#""link_schemes":["tg","geo"],"replies":true"#)
        #expect(try consent() == expected(true, "tg", "geo"))
        try test.expectDone(.registration(.end(device: first.device)))
        #expect(try consent() == expected(true, "tg", "geo"))
        let third = try register(#""replies":true"#)
        try test.expectDone(.registration(.end(device: second.device)))
        #expect(try consent() == expected(true))
        #expect(try consent(joining: first.device) == expected(true))
        try test.restart()
        index.listen(listener, to: first.device)
        #expect(try consent(joining: first.device) == expected(true))
        #expect(try test.find(third.id) != nil)
    }

    @Test(
        "A client that joins later does not read each registration",
        .alone("it changes the file by hand"))
    func look() throws {
        let registrations = try (0..<20).map { try register(#""link_schemes":["s\#($0)"]"#) }
        let engine = registrations[0].device
        index.listen(listener, to: engine)
        let first = try consent(joining: engine)
        #expect(first?.linkSchemes.count == 20)
        // From now on none of them can be read.
        try Connection(test.path + "/" + WriterDatabase.fileName, .readWrite).execute(
            "UPDATE registration SET sealed = zeroblob(200)")
        #expect(try consent(joining: engine) == first)
        // Removing one that cannot be read discards what was known of all of them.
        try test.expectDone(.registration(.end(device: registrations[7].device)))
        #expect(try consent(joining: engine) == SourceConsent())
    }

    @Test("A client counts as a sign of life of each registration, once that is worth writing")
    func note() throws {
        let registrations = try [600, 86_400].map { timeout in
            try test.addRegistration(
                #"{"token_type":10,"app":"icq","account":"b","session_timeout":\#(timeout)}"#
            ).0
        }
        let (engine, created) = (registrations[0].device, test.now)
        index.listen(listener, to: engine)
        func seen() throws -> [Int64] {
            try registrations.map { registration in
                let seen = try test.find(registration.id)?.seen ?? created
                return (seen.milliseconds - created.milliseconds) / 1_000
            }
        }
        _ = try consent(joining: engine)
        #expect(try seen() == [0, 0])
        test.clocks.advance(seconds: 24)
        try test.expectDone(.engine(.signOfLife(engine: engine)))
        #expect(try seen() == [0, 0])
        test.clocks.advance(seconds: 1)
        try test.expectDone(.engine(.signOfLife(engine: engine)))
        #expect(try seen() == [25, 0])
        test.clocks.advance(seconds: 3_575)
        _ = try consent(joining: engine)
        #expect(try seen() == [3_600, 3_600])
        // A registration that was offline is back online at once.
        var paused = try #require(try test.find(registrations[1].id))
        let revision = paused.revision
        paused.pause()
        try test.expectDone(.registration(.change(paused, from: revision, adding: nil)))
        test.clocks.advance(seconds: 1)
        try test.expectDone(.engine(.signOfLife(engine: engine)))
        #expect(try test.find(registrations[1].id)?.isThere == true)
        #expect(try seen() == [3_600, 3_601])
    }
}
