import Base
import Crypto
import Delivery
import Foundation
import System
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite(
    "Restored stores that know how the former one went on",
    .alone("only a store of one machine is restored"))
struct FormerStoreTests {
    private func credential(_ test: TestStore, _ name: String, of owner: String) throws
        -> DeviceCredential
    {
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: name,
            owner: owner, created: 1)
        try test.expectDone(.addCredential(credential))
        return credential
    }

    @Test("Delivered messages, ended endpoints, removed devices and owners do not come back")
    func endings() throws {
        let test = try TestStore()
        let (ann, bob) = (
            try credential(test, "desk", of: "ann"), try credential(test, "desk", of: "bob")
        )
        let (of, gone) = (
            try test.addDevice(credential: ann.row), try test.addDevice(credential: bob.row)
        )
        let (stays, ends, his) = (
            try test.register(of), try test.register(of), try test.register(gone)
        )
        let messages = try (0..<4).map { try test.keep(stays.address, "\($0)") }
        try test.keep(ends.address, "ends")
        try test.keep(his.address, "his")
        let path = try test.backUp()
        try test.expectDone(.acknowledge(messages[1].reference))
        try test.expectDone(.unregister(subscription: ends.address.subscription))
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        let owner = try #require(owners.first { $0.name == "bob" })
        try test.expectDone(.removeOwner(owner.row))
        try test.keep(stays.address, "later")
        let report = try test.restore(path, former: true)
        #expect(report.unconfirmed == 0)
        #expect(report.figures == StoreFigures(devices: 1, endpoints: 1, messages: 3))
        #expect(try test.bodies(of) == ["0", "2", "3"])
        #expect(try test.bodies(gone) == [])
        #expect(test.answer(ends) == .gone && test.answer(his) == .gone)
        #expect(test.store.index.credential(ann.secret)?.isConfirmed == true)
        #expect(test.store.index.credential(bob.secret) == nil)
        guard case .owners(let rest) = try test.load(.owners) else { throw AnswerBox.Missing() }
        #expect(rest.map(\.name) == ["ann"])
    }

    @Test("An endpoint that was bound to a key since stays bound")
    func bound() throws {
        let test = try TestStore()
        let subscription = try test.register(try test.addDevice(), sender: .firstKey)
        let path = try test.backUp()
        let hash = KeyHash(high: 1, low: 2)
        try test.expectDone(
            .bindKey(subscription: subscription.address.subscription, hash))
        try test.restore(path, former: true)
        guard case .found(let endpoint) = test.answer(subscription), case .key = endpoint.sender
        else {
            Issue.record("the endpoint is not bound")
            return
        }
    }

    @Test("Registrations that ended stay ended, with their payloads; others keep theirs")
    func registrations() throws {
        let test = try TestStore()
        let (kept, keptTarget) = try test.addRegistration()
        let (ended, endedTarget) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"you"}"#)
        let (quiet, quietTarget) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"quiet"}"#)
        for target in [keptTarget, endedTarget, quietTarget] {
            _ = try test.receive(target.address, "payload")
        }
        let path = try test.backUp()
        try test.expectDone(.registration(.end(device: ended.device)))
        let welcome = try test.welcomes([kept.device])
        let waiting = try test.bodies(kept.device)
        try test.restore(path, former: true)
        #expect(try test.find(ended.id) == nil && test.answer(endedTarget) == .gone)
        #expect(try test.find(kept.id) != nil)
        #expect(try test.bodies(kept.device) == waiting)
        #expect(try test.bodies(quiet.device) == ["payload"])
        #expect(try test.bodies(ended.device) == [])
        #expect(try test.welcomes([kept.device]) == welcome)
    }

    @Test("Another store, an older one and one in use are refused")
    func refused() throws {
        let test = try TestStore()
        _ = try test.register(try test.addDevice())
        let older = test.folder.file("older")
        try test.restart {
            try FileManager.default.copyItem(atPath: test.path, toPath: older)
        }
        try test.keep(try test.register(try test.addDevice()).address)
        let path = try test.backUp()
        func failure(_ former: String) -> BackupFailure? {
            TestStore.failure {
                _ = try TestStore.restore(
                    path, to: test.folder.file("restored"), former: FormerStore(former),
                    at: test.clocks.now)
            }
        }
        #expect(failure(test.path) == .folder(.inUse(path: test.path)))
        let other = try TestStore()
        _ = try other.register(try other.addDevice())
        for _ in 0..<9 { try other.keep(try other.register(try other.addDevice()).address) }
        other.close()
        #expect(failure(other.path) == .otherStore(folder: other.path))
        #expect(failure(older) == .otherStore(folder: older))
        let none = test.folder.file("none")
        #expect(failure(none) == .noFormerStore(folder: none))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: test.folder.file("restored"))
        #expect(names == ["lock"])
    }
}
