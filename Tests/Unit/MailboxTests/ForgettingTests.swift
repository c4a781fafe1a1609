import Foundation
import SQLite
import TestSupport
import Testing

@testable import Mailbox

@Suite("Forgetting")
struct ForgettingTests {
    private static let owner = "owner-marker-7f3a"
    private static let device = "device-marker-7f3a"

    private let test: TestStore

    init() throws { test = try TestStore() }

    /// Whether any file of the store has these bytes.
    private func isAnywhere(_ bytes: [UInt8]) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: test.path).contains { name in
            guard name != TopicFiles.folderName else { return false }
            let data = try Data(contentsOf: URL(filePath: test.path + "/" + name))
            return data.range(of: Data(bytes)) != nil
        }
    }

    private func add(_ name: String, of owner: String) throws -> DeviceCredential {
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: name,
            owner: owner, created: 1)
        try test.expectDone(.addCredential(credential))
        return credential
    }

    /// Messages, a registration with its engine and a callback, and an answer that is kept.
    private func use(
        _ credential: DeviceCredential
    ) throws -> (channel: Subscription, receiver: Subscription) {
        let subscription = try test.register(try test.addDevice(credential: credential.row))
        let body = String(repeating: "text ", count: 700)
        for _ in 0..<20 { try test.keep(subscription.address, body) }
        let (registration, endpoint) = try test.draft(owner: credential.owner)
        let answer = KeptAnswer(
            request: try test.digest(), body: try test.digest(), answer: Array(body.utf8))
        try test.expectDone(
            .registration(
                .create(registration, endpoint, credential: credential.row, limit: nil, answer)))
        let payload =
            #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ann","hello"],"#
            + #""custom":{"from_id":"1","msg_id":"1"}}}"#
        for _ in 0..<5 { _ = try test.receive(endpoint.address, payload) }
        try test.make(registration.device)
        try test.settle(registration.device, .delivered)
        let event = try test.event("to be told")
        try test.expectDone(.callback(.add(event, to: registration.device)))
        return (subscription, endpoint)
    }

    /// Everything that is sealed in the file, and names of things. The hashes of endpoints stay.
    private func traces() throws -> Set<[UInt8]> {
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        let select = try Statement(
            """
            SELECT sealed FROM message UNION ALL SELECT sealed FROM registration
            UNION ALL SELECT sealed FROM engine UNION ALL SELECT sealed FROM engine_record
            UNION ALL SELECT sealed FROM callback UNION ALL SELECT sealed FROM callback_event
            UNION ALL SELECT sealed FROM kept_answer UNION ALL SELECT sealed_token FROM subscription
            UNION ALL SELECT secret FROM credential UNION ALL SELECT id FROM message
            UNION ALL SELECT id FROM registration UNION ALL SELECT request FROM kept_answer
            UNION ALL SELECT user_agent FROM device
            WHERE row NOT IN (SELECT device FROM registration)
            """, on: connection)
        var found: Set<[UInt8]> = []
        while try select.step() { found.insert(select.bytes(0)) }
        return found
    }

    @Test(
        "Nothing of a device or an owner is left in any file, and others keep everything",
        arguments: [true, false])
    func files(isOwner: Bool) throws {
        let other = try add("desk", of: "bob")
        let kept = try use(other)
        let ofOthers = try traces()
        let credential = try add(Self.device, of: Self.owner)
        let (channel, receiver) = try use(credential)
        let former = try traces().subtracting(ofOthers)
        // Some of it is in the database file, and some in the WAL.
        try test.restart()
        try test.keep(channel.address, "the last")
        _ = try test.receive(receiver.address, #"{"data":{"loc_key":"MESSAGE_TEXT"}}"#)
        let own = try traces().subtracting(ofOthers)
        #expect(own.count > 30)
        for trace in own { #expect(try isAnywhere(trace)) }
        #expect(try isAnywhere(Array(Self.device.utf8)))

        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        let owner = try #require(owners.first { $0.name == Self.owner })
        try test.expectDone(
            isOwner ? .forgetOwner(owner.row) : .forgetCredential(credential.row))
        for trace in own.union(former) { #expect(try !isAnywhere(trace)) }
        #expect(try !isAnywhere(Array(Self.device.utf8)))
        #expect(try isAnywhere(Array(Self.owner.utf8)) == !isOwner)
        #expect(test.store.index.endpoint(channel.digest) == .gone)
        #expect(test.store.index.endpoint(kept.channel.digest) != .gone)
        for trace in ofOthers { #expect(try isAnywhere(trace)) }
    }

    @Test("While a reader needs what was there, the answer is to wait; then it vanishes by itself")
    func reader() throws {
        let credential = try add(Self.device, of: Self.owner)
        _ = try use(credential)
        let connection = try Connection(test.path + "/bellwire.db", .readOnly)
        try connection.execute("BEGIN; SELECT count(*) FROM credential")
        #expect(try test.run(.forgetCredential(credential.row)) == .unavailable)
        #expect(try isAnywhere(Array(Self.device.utf8)))
        #expect(test.store.index.credential(credential.secret) == nil)
        try connection.execute("COMMIT")
        let deadline = Date(timeIntervalSinceNow: 30)
        while try isAnywhere(Array(Self.device.utf8)), Date() < deadline { usleep(50_000) }
        #expect(try !isAnywhere(Array(Self.device.utf8)))
    }

    @Test("What does not exist cannot be forgotten")
    func unknown() throws {
        #expect(try test.run(.forgetCredential(9)) == .notFound)
        #expect(try test.run(.forgetOwner(9)) == .notFound)
    }
}
