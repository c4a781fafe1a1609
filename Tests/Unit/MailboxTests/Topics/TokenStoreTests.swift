import Base
import Crypto
import Foundation
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Tokens for topics in the store")
struct TokenStoreTests {
    @Test("A token is the same after a restart, and no credential of a device")
    func restart() throws {
        let test = try TestStore()
        let token = try test.token("laptop", [.read, .answer], owner: "uid:7")
        try test.expectDone(.addCredential(token))
        for _ in 0..<2 {
            #expect(test.store.index.credential(token.secret) == nil)
            let found = try #require(test.store.index.token(token.secret))
            #expect(found.token == token.token && found.owner == "uid:7")
            try test.restart()
        }
    }

    @Test("Terms are not readable in the file")
    func sealed() throws {
        let test = try TestStore()
        let pattern = try #require(TopicPattern("needle-*"))
        let token = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: "laptop",
            owner: "admin", created: 1,
            token: TokenGrant(TokenTerms(.client, pattern)))
        try test.expectDone(.addCredential(token))
        test.close()
        #expect(try contents(ofFolder: test.path).firstRange(of: Data("needle".utf8)) == nil)
    }

    @Test("An owner has a thousand, which do not count as devices")
    func limit() throws {
        let test = try TestStore()
        for number in 0..<OwnerLimits.tokens {
            try test.expectDone(.addCredential(try test.token("\(number)")))
        }
        #expect(try test.run(.addCredential(try test.token("more"))) == .full)
        try test.expectDone(
            .addCredential(
                DeviceCredential(
                    row: test.store.index.nextCredential(), secret: try test.digest(),
                    name: "laptop", owner: "admin", created: 1)))
    }

    @Test("A token ends with the one that it was made with, and with its topic")
    func endings() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let parent = try test.token("parent")
        let child = try test.token("child", parent: parent.row)
        let grandchild = try test.token("grandchild", parent: child.row)
        let application = try test.token("application", topic: topic.device)
        let all = [parent, child, grandchild, application]
        for token in all { try test.expectDone(.addCredential(token)) }
        try test.expectDone(.removeCredential(parent.row))
        #expect(
            all.map { test.store.index.token($0.secret) != nil } == [false, false, false, true])
        try test.expectDone(.registration(.end(device: topic.device)))
        #expect(test.store.index.token(application.secret) == nil)
        let late = try test.token("late", parent: parent.row)
        #expect(try test.run(.addCredential(late)) != .done)
        let lost = try test.token("lost", topic: topic.device)
        #expect(try test.run(.addCredential(lost)) != .done)
    }

    @Test("A token that is changed has its new name and end, also after a restart")
    func changing() throws {
        let test = try TestStore()
        let now = test.clocks.now.wall / 1_000
        let (brief, other) = (try test.token("brief", end: now + 60), try test.token("other"))
        for token in [brief, other] { try test.expectDone(.addCredential(token)) }
        let terms = try #require(brief.token?.terms)
        func change(_ name: String, _ end: Int64?) -> StoreOperation {
            .changeToken(brief.row, name: name, terms.ending(at: end))
        }
        #expect(try test.run(change("other", nil)) == .conflict)
        #expect(test.store.index.token(brief.secret)?.token == brief.token)
        try test.expectDone(change("long", now + 120))
        try test.pass(seconds: 61)
        for _ in 0..<2 {
            let found = try #require(test.store.index.token(brief.secret))
            #expect(found.name == "long" && found.token?.terms.end == now + 120)
            try test.restart()
        }
        try test.expectDone(.changeToken(brief.row, name: "longer", nil))
        try test.pass(seconds: 59)
        #expect(test.store.index.token(brief.secret) == nil)
        #expect(try test.run(change("longer", nil)) == .notFound)
        let device = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: "laptop",
            owner: "admin", created: 1)
        try test.expectDone(.addCredential(device))
        #expect(try test.run(.changeToken(device.row, name: "laptop", terms)) == .notFound)
        #expect(try test.run(.changeToken(device.row, name: "mine", nil)) == .notFound)
    }

    @Test("A token ends when its time is over, with those made with it, and who uses it is told")
    func expiry() throws {
        let test = try TestStore()
        let now = test.clocks.now.wall / 1_000
        let brief = try test.token("brief", end: now + 60)
        let child = try test.token("child", parent: brief.row)
        let long = try test.token("long", end: .max)
        for token in [long, brief, child] { try test.expectDone(.addCredential(token)) }
        try test.pass(seconds: 59)
        #expect(test.store.index.token(brief.secret) != nil)
        try test.restart()
        let ended = Lock<[UInt32]>([])
        test.store.index.endings.listen { endings in
            ended.withLock { $0 += endings.credentials }
        }
        try test.pass(seconds: 1)
        #expect(ended.withLock { $0 } == [child.row, brief.row])
        #expect(test.store.index.token(brief.secret) == nil)
        #expect(test.store.index.token(long.secret) != nil)
        #expect(try test.rows("credential") == 1)
    }
}
