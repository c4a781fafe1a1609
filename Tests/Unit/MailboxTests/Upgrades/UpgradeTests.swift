import Base
import Crypto
import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Stores of earlier programs", .alone("a store of an earlier version followed no log"))
struct UpgradeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("There is a store of every earlier schema that is continued")
    func complete() throws {
        let schemas = KeptStore.continued.map(\.schema)
        #expect(
            schemas == Array(Schema.first..<Schema.migrations.count), "see Tests/Vectors/Upgrades")
    }

    @Test(
        "One whose seals name no owners is refused in one sentence, and not changed",
        arguments: KeptStore.refused)
    func refused(store: KeptStore) throws {
        let facts = try store.unpack(to: folder)
        let path = folder.file("state/bellwire.db")
        let before = try Data(contentsOf: URL(filePath: path))
        #expect(throws: StoreFault.earlierSchema) {
            _ = try TestStore(folder.file("state"), facts)
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        #expect(throws: BackupFailure.store(.earlierSchema)) {
            _ = try StoreSnapshot(of: folder.file("state")).write(
                to: folder.file("backup"),
                StoreSnapshot.Terms(
                    .clear(try #require(BackupKeys([try MasterKey.generate()]))), made: 1,
                    program: "test")
            ) { _, _, _ in }
        }
    }

    @Test("Each has the schema that its name says", arguments: KeptStore.all)
    func schema(store: KeptStore) throws {
        let facts = try store.unpack(to: folder)
        #expect(store.schema == facts.schema)
        let file = try Connection(folder.file("state/bellwire.db"), .readOnly)
        #expect(try file.integer("PRAGMA user_version") == facts.schema)
    }

    @Test("Today's program opens it, and everything is there", arguments: KeptStore.continued)
    func opened(store: KeptStore) throws {
        let facts = try store.unpack(to: folder)
        let test = try TestStore(folder.file("state"), facts)
        try expectEverything(facts, in: test)
        // The store opens again, so what was written has today's form.
        try test.restart()
        try expectDevices(facts, in: test)
        test.close()
        try expectSound()
    }

    @Test(
        "A kill in any step of the upgrade loses nothing, and the next start goes on",
        arguments: KeptStore.continued)
    func killed(store: KeptStore) throws {
        for step in try store.unpack(to: try TemporaryFolder()).schema..<Schema.migrations.count {
            let before = try TemporaryFolder()
            let facts = try store.unpack(to: before)
            let path = before.file("state/bellwire.db")
            let connection = try Connection(path, .readWrite)
            try connection.setCheckpointAtEnd(false)
            try connection.migrate(Array(Schema.migrations[..<step]))
            // Without room in memory, pages are written before the commit.
            try connection.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
            try connection.execute(Schema.migrations[step].sql)
            // What the files contain now is what a kill would leave.
            let after = try TemporaryFolder()
            for name in ["state", "facts.json"] {
                try FileManager.default.copyItem(
                    atPath: before.file(name), toPath: after.file(name))
            }
            try? FileManager.default.removeItem(atPath: after.file("state/bellwire.db-shm"))
            let copy = try Connection(after.file("state/bellwire.db"), .readOnly)
            #expect(try copy.integer("PRAGMA user_version") == step)
            try expectEverything(facts, in: try TestStore(after.file("state"), facts))
        }
    }

    private func expectSound() throws {
        let file = try Connection(folder.file("state/bellwire.db"), .readOnly)
        #expect(try file.integer("PRAGMA user_version") == Schema.migrations.count)
        let check = try Statement("PRAGMA integrity_check", on: file)
        #expect(try check.step() && check.text(0) == "ok")
    }

    private func expectEverything(_ facts: KeptStore.Facts, in test: TestStore) throws {
        try expectDevices(facts, in: test)
        try expectMessages(facts, in: test)
        try expectRegistration(facts, in: test)
        try expectOthers(facts, in: test)
    }

    private func answer(
        _ endpoint: String, in test: TestStore
    ) throws -> StoreIndex.EndpointAnswer {
        let text = endpoint.split(separator: "/").last.map(String.init)
        var mint = try EndpointMint(key: test.store.endpointKey)
        let bytes = try bytes(text)
        guard let token = try mint.token(bytes) else { throw AnswerBox.Missing() }
        return test.store.index.endpoint(try mint.digest(of: token))
    }

    private func address(_ endpoint: String, in test: TestStore) throws -> Address {
        guard case .found(let endpoint) = try answer(endpoint, in: test) else {
            throw AnswerBox.Missing()
        }
        return endpoint.address
    }

    private func expectDevices(_ facts: KeptStore.Facts, in test: TestStore) throws {
        #expect(facts.devices.count == 2)
        for device in facts.devices {
            let digest = try digest(device.bearer)
            let credential = try #require(test.store.index.credential(digest))
            #expect(credential.name == device.name && credential.owner == device.owner)
            #expect(credential.isConfirmed)
        }
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        #expect(Set(owners.map(\.name)).isSuperset(of: ["ann", "bob"]))
    }

    private func expectMessages(_ facts: KeptStore.Facts, in test: TestStore) throws {
        let open = try address(facts.open, in: test)
        guard case .found(let bound) = try answer(facts.bound, in: test),
            case .key(let hash) = bound.sender
        else { throw AnswerBox.Missing() }
        #expect(hash == KeyHash(try digest(facts.vapid)))
        #expect(try answer(facts.ended, in: test) == .gone)
        let messages = try test.waiting(open.device)
        #expect(messages.count == facts.waiting.count)
        for (message, body) in zip(messages, facts.waiting) {
            guard let body else { continue }
            #expect(message.content.body == Array(body.utf8))
        }
        #expect(messages.map(\.content.topic?.text) == [nil, "t", nil])
        #expect(messages.map(\.address.subscription).last == bound.address.subscription)
        try test.keep(open, "new", topic: "t")
        #expect(try test.bodies(open.device).first == "first")
        #expect(try test.bodies(open.device).last == "new")
    }

    private func id(_ text: String?) throws -> RegistrationID? {
        let bytes = try bytes(text)
        return RegistrationID(bytes.span)
    }

    private func bytes(_ text: String?) throws -> [UInt8] {
        let text = try #require(text)
        return try #require(Base64URL.decode(text))
    }

    private func digest(_ text: String?) throws -> Digest {
        let bytes = try bytes(text)
        var hash = try SHA256()
        return Digest(try hash.digest(of: bytes.span))
    }

    /// The registration takes pushes to its public key, and shows them.
    private func expectRegistration(_ facts: KeptStore.Facts, in test: TestStore) throws {
        let known = try #require(facts.registration)
        let address = try address(known.endpoint, in: test)
        let id = try #require(try self.id(known.id))
        let registration = try #require(try test.find(id))
        #expect(registration.device == address.device && registration.terms.account == "me")
        let text =
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","three"],"#
            + #""custom":{"from_id":"5","msg_id":"13"}}"#
        let push = try encrypted(text, to: known.keys)
        let read = try decrypted(push, with: try #require(registration.target.keys))
        #expect(read == Array(text.utf8))
        #expect(try test.undecryptable(id).values.reduce(0, +) == 1)

        #expect(try test.receive(address, text) == .done)
        let shown = try #require(try test.welcomes([registration.engine]).first).joined()
        #expect(shown.contains("three"))
        #expect(shown.contains("one") && shown.contains("two"))
        try expectOutbox(of: address.device, in: test)
    }

    private func encrypted(
        _ text: String, to keys: KeptStore.Facts.Keys
    ) throws -> [UInt8] {
        let receiver = try #require(UncompressedPoint(base64URL: keys.p256dh))
        let auth = try bytes(keys.auth)
        let secret = Secret(auth.span)
        let body = Array(text.utf8)
        var encryptor = try Encryptor()
        let push = try encryptor.encrypt(
            body.span, for: receiver, auth: secret, encoding: .aes128gcm)
        return push.body
    }

    private func keys(_ stored: Registration.Keys) throws -> ReceiverKeys {
        let key = try stored.privateKey.withSpan { bytes throws(OpenSSLError) in
            try PrivateKey(stored: bytes, publicKey: stored.publicKey)
        }
        if let keys = ReceiverKeys(privateKey: key, auth: stored.auth) { return keys }
        throw AnswerBox.Missing()
    }

    private func decrypted(
        _ push: [UInt8], with stored: Registration.Keys
    ) throws -> [UInt8] {
        let parameters = try EncryptionParameters(aes128gcm: push.span)
        let keys = try keys(stored)
        var decryptor = try Decryptor()
        return try decryptor.decrypt(push.span, parameters, keys: keys)
    }

    private func expectOutbox(of device: UInt32, in test: TestStore) throws {
        guard case .callbacks(let callbacks) = try test.load(.callbacks),
            case .callback(let record?) = try test.load(.callback(device))
        else { throw AnswerBox.Missing() }
        #expect(callbacks == [device])
        #expect(record.callback.url == "http://127.0.0.1:65535/hook")
        #expect(record.callback.secrets.count == 1)
        let head = try #require(record.head)
        #expect(head.isIntroduction)
        #expect(String(decoding: head.body, as: UTF8.self).contains("registration.created"))
    }

    private func expectOthers(_ facts: KeptStore.Facts, in test: TestStore) throws {
        let locked = try #require(try id(facts.locked?.id))
        let secret = try #require(try test.find(locked)?.secret)
        #expect(secret.current.withSpan(Base64URL.text) == facts.locked?.secret)
        let signals = try #require(try id(facts.signals?.id))
        let device = try #require(try test.find(signals)?.device)
        let waiting = try #require(try test.fetch(device).signals.waiting)
        #expect(waiting.count == 1 && waiting.version == 7)
    }
}
