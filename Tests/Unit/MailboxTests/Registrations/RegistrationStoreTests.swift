import Base
import Crypto
import Delivery
import Foundation
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Registrations in the store")
struct RegistrationStoreTests {
    private static let day: Int64 = 86_400

    @Test("A registration is the same after a restart, keys and secrets included")
    func restart() throws {
        let test = try TestStore()
        let secret = try Random.secret(count: 256)
        let (registration, subscription) = try test.addRegistration(
            #"{"token_type":10,"app":"icq","account":"é","ttl":5}"#, owner: "uid:7",
            secret: secret)
        try test.restart()
        let found = try #require(try test.find(registration.id))
        #expect(found.owner == "uid:7" && found.device == registration.device)
        #expect(found.terms == registration.terms && found.created == 4_000)
        #expect(found.target.token.bytes == registration.target.token.bytes)
        let keys = try #require(found.target.keys)
        let expected = try #require(registration.target.keys)
        #expect(keys.publicKey == expected.publicKey)
        #expect(bytes(keys.privateKey) == bytes(expected.privateKey))
        #expect(bytes(keys.auth) == bytes(expected.auth))
        #expect(bytes(found.secret?.current) == bytes(secret))
        guard case .found(let endpoint) = test.answer(subscription) else {
            Issue.record("the endpoint is not found")
            return
        }
        #expect(endpoint.kind == .receiver && endpoint.address == subscription.address)
    }

    private func bytes(_ secret: Secret?) -> [UInt8]? {
        secret.map { $0.withSpan { $0.array($0.indices) } }
    }

    @Test("No key, secret, token or application name is readable in the file")
    func sealed() throws {
        let test = try TestStore()
        let secret = try Random.secret(count: 256)
        let (registration, _) = try test.addRegistration(
            #"{"token_type":10,"app":"telegram","account":"needle-account"}"#, secret: secret)
        _ = try test.receive(
            Address(
                subscription: registration.target.subscription, device: registration.device),
            "needle-body")
        test.close()
        let files = try contents(ofFolder: test.path)
        let keys = try #require(registration.target.keys)
        let secrets = [
            bytes(secret), bytes(keys.privateKey), bytes(keys.auth),
            registration.target.token.bytes, Array("needle".utf8),
        ].compactMap(\.self)
        for secret in secrets {
            let text = Base64URL.text(secret.span)
            #expect(files.firstRange(of: Data(secret)) == nil)
            #expect(files.firstRange(of: Data(text.utf8)) == nil)
        }
    }

    @Test(
        "A revoked registration is gone for good, with its messages, counters and signals",
        .alone("a node calls an endpoint ended only a second later"))
    func end() throws {
        let test = try TestStore()
        let (registration, subscription) = try test.addRegistration()
        _ = try test.receive(subscription.address, "x")
        try test.expectDone(
            .registration(.count(device: registration.device, reason: "bad-tag")))
        try test.expectDone(.registration(.end(device: registration.device)))
        #expect(try test.run(.registration(.end(device: registration.device))) == .notFound)
        #expect(test.answer(subscription) == .gone)
        #expect(test.store.index.usage(ofDevice: registration.device).messages == 0)
        try test.restart()
        #expect(test.answer(subscription) == .gone)
        #expect(try test.find(registration.id) == nil)
        #expect(try test.bodies(registration.device) == [])
        // Operations that were under way when it ended do not find it.
        #expect(try test.receive(subscription.address, "late") == .notFound)
        #expect(
            try test.run(.registration(.count(device: registration.device, reason: "x")))
                == .notFound)
    }

    @Test("Only registrations can be ended as registrations")
    func devicesStay() throws {
        let test = try TestStore()
        let device = try test.addDevice()
        #expect(try test.run(.registration(.end(device: device))) == .notFound)
        _ = try test.register(device)
    }

    @Test("A registration ends with the credential it was made under")
    func credential() throws {
        let test = try TestStore()
        let row = test.store.index.nextCredential()
        try test.expectDone(
            .addCredential(
                DeviceCredential(
                    row: row, secret: try test.digest(), name: "x", owner: "admin", created: 1)))
        let (registration, subscription) = try test.draft()
        try test.expectDone(
            .registration(.create(registration, subscription, credential: row, limit: nil, nil)))
        try test.expectDone(.removeCredential(row))
        #expect(test.answer(subscription) == .gone)
        #expect(try test.find(registration.id) == nil)
        let (late, other) = try test.draft()
        #expect(
            try test.run(
                .registration(.create(late, other, credential: row, limit: nil, nil)))
                == .notFound)
        #expect(try test.find(late.id) == nil)
    }

    @Test("An owner's limit counts only the owner's own registrations")
    func limit() throws {
        let test = try TestStore()
        func create(_ owner: String, limit: Int?) throws -> StoreOutcome {
            let (registration, subscription) = try test.draft(owner: owner)
            return try test.run(
                .registration(
                    .create(registration, subscription, credential: nil, limit: limit, nil)))
        }
        #expect(try create("uid:1", limit: 2) == .done)
        #expect(try create("uid:2", limit: 2) == .done)
        #expect(try create("uid:1", limit: 2) == .done)
        #expect(try create("uid:1", limit: 2) == .registration(.tooMany))
        #expect(try create("uid:1", limit: nil) == .done)
        #expect(test.store.index.endpointCount == 4)
    }

    @Test("One of two concurrent changes is refused")
    func revisions() throws {
        let test = try TestStore()
        let (registration, _) = try test.addRegistration()
        var (first, second) = (registration, registration)
        first.pause()
        second.replaceSecret(try Random.secret(count: 256), at: test.now)
        try test.expectDone(.registration(.change(first, from: 0, adding: nil)))
        #expect(
            try test.run(.registration(.change(second, from: 0, adding: nil))) == .conflict)
        let found = try #require(try test.find(registration.id))
        #expect(found.isPaused && found.secret == nil)
    }

    @Test("A registration without a sign of life ends, and one with signs of life goes on")
    func expiry() throws {
        let test = try TestStore()
        let json = #"{"token_type":10,"app":"a","account":"b","expires":172800}"#
        let (silent, silentEndpoint) = try test.addRegistration(json)
        let (lively, livelyEndpoint) = try test.addRegistration(json)
        try test.pass(seconds: Self.day)
        var seen = try #require(try test.find(lively.id))
        let isWritten = seen.recordSignOfLife(at: test.now)
        #expect(isWritten)
        try test.expectDone(.registration(.change(seen, from: 0, adding: nil)))
        try test.pass(seconds: Self.day - 1)
        guard case .found = test.answer(silentEndpoint) else {
            Issue.record("ended before its time")
            return
        }
        try test.pass(seconds: 2)
        #expect(test.answer(silentEndpoint) == .gone)
        #expect(try test.find(silent.id) == nil)
        guard case .found = test.answer(livelyEndpoint) else {
            Issue.record("the other one ended")
            return
        }
    }

    @Test("Signs of life are written only as often as needed")
    func signsOfLife() throws {
        let test = try TestStore()
        var (registration, _) = try test.draft()
        let start = test.now
        func note(after seconds: UInt32) -> Bool {
            registration.recordSignOfLife(at: start.adding(seconds: seconds))
        }
        #expect(!note(after: 3_599))
        #expect(note(after: 3_600))
        #expect(!note(after: 3_601))
        #expect(registration.isOnline(at: start.adding(seconds: 3_600 + 86_399)))
        #expect(!registration.isOnline(at: start.adding(seconds: 3_600 + 86_400)))
        registration.pause()
        #expect(!registration.isOnline(at: start.adding(seconds: 3_601)))
        // A registration that was offline is back at once.
        #expect(note(after: 3_602))
        #expect(registration.isOnline(at: start.adding(seconds: 3_603)))
    }
}

@Suite("Rotation of registrations")
struct RegistrationRotationTests {
    private static let day: Int64 = 86_400

    @Test(
        "The former endpoint keeps working with its keys for seven days",
        .alone("a node calls an endpoint ended only a second later"))
    func grace() throws {
        let test = try TestStore()
        let (registration, former) = try test.addRegistration()
        _ = try test.receive(former.address, "before")
        let (target, current) = try test.target(registration.device)
        var rotated = registration
        rotated.rotate(to: target, at: test.now)
        try test.expectDone(.registration(.change(rotated, from: 0, adding: current)))
        try test.pass(seconds: 7 * Self.day - 1)
        let found = try #require(try test.find(registration.id))
        #expect(found.target.subscription == current.address.subscription)
        let formerTarget = found.targets.first {
            $0.subscription == former.address.subscription
        }
        #expect(formerTarget?.keys != nil)
        _ = try test.receive(former.address, "within", ttl: 864_000)
        try test.pass(seconds: 2)
        #expect(test.answer(former) == .gone)
        guard case .found = test.answer(current) else {
            Issue.record("the new endpoint is gone")
            return
        }
        let later = try #require(try test.find(registration.id))
        #expect(later.targets.count == 1)
        // Messages from the former endpoint are for the same application.
        #expect(try test.fetch(registration.device).bodies == ["within"])
        try test.restart()
        #expect(test.answer(former) == .gone)
    }

    @Test("With too many rotations, the oldest endpoint ends early")
    func manyRotations() throws {
        let test = try TestStore()
        var (registration, first) = try test.addRegistration()
        for _ in 0..<8 {
            let (target, subscription) = try test.target(registration.device)
            let revision = registration.revision
            registration.rotate(to: target, at: test.now)
            try test.expectDone(
                .registration(.change(registration, from: revision, adding: subscription)))
            registration = try #require(try test.find(registration.id))
        }
        #expect(registration.targets.count == 8)
        #expect(test.answer(first) == .gone)
    }

    @Test("The former secret works for two days, or until the new one is used")
    func secrets() throws {
        let test = try TestStore()
        let (old, new) = (try Random.secret(count: 256), try Random.secret(count: 256))
        let (registration, _) = try test.addRegistration(secret: old)
        var changed = registration
        changed.replaceSecret(new, at: test.now)
        var used = changed
        used.forgetFormerSecret()
        #expect(used.secret?.former == nil && used.revision > changed.revision)
        try test.expectDone(.registration(.change(changed, from: 0, adding: nil)))
        try test.pass(seconds: 2 * Self.day - 1)
        #expect(try test.find(registration.id)?.secret?.former != nil)
        try test.pass(seconds: 2)
        #expect(try test.find(registration.id)?.secret?.former == nil)
    }
}
