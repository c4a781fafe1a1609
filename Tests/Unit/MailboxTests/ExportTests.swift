import Base
import Crypto
import Foundation
import SQLite
import TestSupport
import Testing
import WebPush

@testable import Mailbox

@Suite("Exports")
struct ExportTests {
    private let test: TestStore

    init() throws { test = try TestStore() }

    private static let secretMarker = "hook-path-5b1d"

    /// What an owner has in the store, and everything of it that no export may show.
    private struct Holdings {
        let device: DeviceCredential
        let channel: Subscription
        let registration: Registration
        let secrets: [[UInt8]]
    }

    private func add(_ name: String, of owner: String) throws -> DeviceCredential {
        let credential = DeviceCredential(
            row: test.store.index.nextCredential(), secret: try test.digest(), name: name,
            owner: owner, created: 1_000)
        try test.expectDone(.addCredential(credential))
        return credential
    }

    /// A device with a user agent, two messages, and a registration with everything around it. All
    /// texts have the name in them.
    private func use(_ name: String, of owner: String) throws -> Holdings {
        let device = try add("device-\(name)", of: owner)
        let userAgent = try test.digest()
        let row = try test.addDevice(credential: device.row, userAgent: userAgent)
        let channel = try test.register(
            row, sender: .key(KeyHash(high: 0x1122_3344_5566_7788, low: 9)))
        let messages = try ["first", "second"].map {
            try test.keep(channel.address, "\($0)-\(name)", topic: "topic-\(name)-\($0)")
        }
        let secret = try Random.secret(count: 256)
        let terms = """
            {"token_type":10,"app":"telegram","account":"account-\(name)",\
            "callback":"https://\(name).example/\(Self.secretMarker)"}
            """
        let (registration, endpoint) = try test.draft(terms, owner: owner, secret: secret)
        let signing = try Random.secret(count: 32)
        let callback = Callback(
            row: registration.device,
            url: "https://\(name).example/\(Self.secretMarker)", userID: nil,
            secrets: [Callback.SigningSecret(signing)])
        let token = Base64URL.text(registration.target.token.bytes.span)
        let hello = CallbackEvent.created(registerDevice: #"{"token":"\#(token)"}"#).entry(
            MessageID(high: 1, low: UInt64(row)), registration: registration.id.text,
            account: "account-\(name)", at: 5_000)
        try test.expectDone(
            .registration(
                .create(
                    registration, endpoint, credential: device.row, limit: nil, nil),
                telling: [.make(callback, introduction: hello)]))
        let payload =
            #"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["sender-\#(name)","text-\#(name)"],"#
            + #""custom":{"from_id":"1","msg_id":"1"}}}"#
        _ = try test.receive(endpoint.address, payload)
        try test.expectDone(
            .registration(.count(device: registration.device, reason: "bad-tag")))
        let keys = try #require(registration.target.keys)
        return Holdings(
            device: device, channel: channel, registration: registration,
            secrets: [
                device.secret.bytes, userAgent.bytes, channel.token.bytes, channel.digest.bytes,
                registration.target.token.bytes, endpoint.digest.bytes,
                bytes(keys.privateKey), bytes(keys.auth), bytes(secret), bytes(signing),
                Array(Self.secretMarker.utf8),
            ] + messages.map(\.location.bytes))
    }

    private func bytes(_ secret: Secret) -> [UInt8] { secret.withSpan { $0.array($0.indices) } }

    /// All parts of an export, none of which is longer than it may be.
    private func parts(_ export: StoreExport, atMost limit: Int) throws -> [UInt8] {
        var document: [UInt8] = []
        let deadline = Date(timeIntervalSinceNow: 120)
        while Date() < deadline {
            guard case .export(let part) = try test.load(.export(export)) else {
                throw AnswerBox.Missing()
            }
            guard let part else { return document }
            #expect(part.count <= limit)
            document += part
        }
        throw AnswerBox.Missing()
    }

    private func document(
        _ subject: ExportSubject, _ room: StoreExport.Room = StoreExport.Room()
    ) throws -> (text: String, root: [String: Any]) {
        let bytes = try parts(StoreExport(subject, room), atMost: room.bytes)
        let root = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return (String(decoding: bytes, as: UTF8.self), try #require(root))
    }

    private func owner(_ name: String) throws -> UInt32 {
        guard case .owners(let owners) = try test.load(.owners) else { throw AnswerBox.Missing() }
        return try #require(owners.first { $0.name == name }).row
    }

    private func list(_ root: [String: Any], _ name: String) throws -> [[String: Any]] {
        try #require(root[name] as? [[String: Any]], "\(name)")
    }

    /// Whether bytes are in a text, in any of the spellings that the server writes.
    private func isAnywhere(_ bytes: [UInt8], in text: String) -> Bool {
        let hexadecimal = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        return [
            String(decoding: bytes, as: UTF8.self), Base64.text(bytes.span),
            Base64URL.text(bytes.span), hexadecimal.joined(),
        ].contains { text.contains($0) }
    }

    private static let rooms = [
        StoreExport.Room(), StoreExport.Room(bytes: 100, rows: 1),
        StoreExport.Room(bytes: 1 << 20, rows: 2),
    ]

    @Test("An export has everything of its owner, whatever the size of its parts", arguments: 0..<3)
    func contents(room: Int) throws {
        // Rows of others lie before, between and after.
        _ = try use("zero", of: "owner-zoe")
        let holdings = try use("one", of: "owner-ann")
        _ = try use("two", of: "owner-bob")
        _ = try use("three", of: "owner-ann")
        _ = try use("four", of: "owner-bob")
        let (text, root) = try document(.owner(owner("owner-ann")), Self.rooms[room])
        #expect(root["owner"] as? String == "owner-ann" && root["scope"] as? String == "owner")
        #expect((root["left_out"] as? [String])?.isEmpty == false)
        #expect(
            try list(root, "devices").map { $0["name"] as? String }
                == ["device-one", "device-three"])
        #expect(try list(root, "devices")[0]["created"] as? Int == 1)
        #expect(
            try list(root, "user_agents").map { $0["device"] as? Int }.first
                == Int(holdings.device.row))
        let endpoints = try list(root, "endpoints")
        let kinds = endpoints.map { $0["kind"] as? String }
        #expect(kinds == ["channel", "receiver", "channel", "receiver"])
        var channel: [UInt8] = []
        holdings.channel.channel.bits.appendUUID(to: &channel)
        #expect(endpoints[0]["channel"] as? String == String(decoding: channel, as: UTF8.self))
        #expect(endpoints[0]["sender"] as? String == "one VAPID key")
        #expect(endpoints[1]["registration"] as? String == holdings.registration.id.text)
        let messages = try list(root, "messages")
        let bodies = messages.map { message in
            (message["body"] as? String).flatMap { Data(base64Encoded: $0) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(
            bodies.prefix(2) == ["first-one", "second-one"] && bodies.contains("first-three"))
        #expect(messages[0]["topic"] as? String == "topic-one-first")
        #expect(messages[0]["endpoint"] as? Int == endpoints[0]["id"] as? Int)
        let registrations = try list(root, "registrations")
        let terms = try #require(registrations.first?["terms"] as? [String: Any])
        #expect(registrations.count == 2 && terms["account"] as? String == "account-one")
        #expect(registrations[0]["has_secret"] as? Bool == true)
        #expect((registrations[0]["undecryptable"] as? [String: Int])?["bad-tag"] == 1)
        let callbacks = try list(root, "callbacks")
        let hosts = callbacks.map { $0["host"] as? String }
        #expect(hosts == ["https://one.example", "https://three.example"])
        #expect(callbacks[0]["state"] as? String == "unconfirmed")
        let events = try list(root, "callback_events")
        let types = events.map { $0["type"] as? String }
        #expect(types == ["registration.created", "registration.created"])
        let data = try #require(events[0]["data"] as? [String: Any])
        #expect(data["account"] as? String == "account-one" && data["register_device"] == nil)
        let engines = try list(root, "engines")
        #expect(engines.map { $0["id"] as? Int }.first == registrations[0]["engine"] as? Int)
        for name in ["one", "three"] {
            #expect(text.contains("sender-\(name)") && text.contains("text-\(name)"))
        }
        #expect(engines.count == 2)
    }

    @Test("Nothing of others and no secret is in an export", arguments: 0..<3)
    func secrets(room: Int) throws {
        var all = [try use("zero", of: "owner-zoe"), try use("one", of: "owner-ann")]
        all.append(try use("four", of: "owner-bob"))
        for subject in [ExportSubject.owner(try owner("owner-ann")), .device(all[1].device.row)] {
            let (text, _) = try document(subject, Self.rooms[room])
            #expect(text.contains("account-one"))
            for name in ["zero", "four", "owner-zoe", "owner-bob"] {
                #expect(!text.contains(name), "\(name)")
            }
            for holdings in all {
                for (index, secret) in holdings.secrets.enumerated() {
                    #expect(!isAnywhere(secret, in: text), "secret \(index)")
                }
            }
        }
    }

    @Test("The export of a device has nothing of the owner's other devices")
    func device() throws {
        let holdings = try use("one", of: "owner-ann")
        _ = try use("three", of: "owner-ann")
        let (text, root) = try document(.device(holdings.device.row))
        #expect(root["scope"] as? String == "device" && root["owner"] as? String == "owner-ann")
        #expect(!text.contains("three"))
        for name in [
            "devices", "user_agents", "registrations", "callbacks", "callback_events", "engines",
        ] {
            #expect(try list(root, name).count == 1, "\(name)")
        }
        #expect(try list(root, "endpoints").count == 2)
    }

    @Test("All parts show one moment, and a key that is replaced meanwhile changes nothing")
    func moment() throws {
        let holdings = try use("one", of: "owner-ann")
        let subject = ExportSubject.owner(try owner("owner-ann"))
        let export = StoreExport(subject, StoreExport.Room(bytes: 100, rows: 1))
        guard case .export(let first?) = try test.load(.export(export)) else {
            throw AnswerBox.Missing()
        }
        try test.keep(holdings.channel.address, "later-body")
        try test.expectDone(.removeDevice(holdings.channel.address.device))
        test.store.rotate(to: try MasterKey.generate())
        let deadline = Date(timeIntervalSinceNow: 60)
        while test.store.resealing != nil, Date() < deadline { usleep(10_000) }
        let text = String(decoding: first + (try parts(export, atMost: 100)), as: UTF8.self)
        for body in ["first-one", "second-one"] {
            #expect(text.contains(Base64.text(Array(body.utf8).span)))
        }
        #expect(!text.contains(Base64.text(Array("later-body".utf8).span)))
        #expect(!text.contains("unreadable") && text.contains("text-one"))
        let now = try document(.owner(owner("owner-ann"))).text
        #expect(!now.contains(Base64.text(Array("first-one".utf8).span)))
        #expect(now.contains("text-one") && !now.contains("unreadable"))
    }

    @Test("A damaged row is named, and the rest is exported", .alone("it changes the file by hand"))
    func damage() throws {
        let holdings = try use("one", of: "owner-ann")
        try test.restart {
            let connection = try Connection(
                test.path + "/" + WriterDatabase.fileName, .readWrite)
            try connection.execute(
                """
                UPDATE engine SET sealed = zeroblob(200);
                UPDATE registration SET sealed = zeroblob(200);
                UPDATE callback_event SET sealed = zeroblob(200);
                UPDATE message SET sealed = zeroblob(200)
                WHERE position = (SELECT min(position) FROM message);
                """)
        }
        let (text, root) = try document(.device(holdings.device.row))
        for name in ["engines", "registrations", "callback_events"] {
            #expect(try list(root, name).map { $0["unreadable"] as? Bool } == [true], "\(name)")
        }
        #expect(try list(root, "messages").contains { $0["unreadable"] as? Bool == true })
        #expect(text.contains(Base64.text(Array("second-one".utf8).span)))
    }

    @Test("An owner's many messages are exported with bounded memory")
    func large() async {
        // In a process of its own, whose memory no other test grows.
        await #expect(processExitsWith: .success) { try ExportTests().exportMuch() }
    }

    private func exportMuch() throws {
        let holdings = try use("one", of: "owner-ann")
        let body = String(repeating: "0123456789", count: 200)
        let count = 12_000
        var tickets: [UInt64] = []
        for _ in 0..<3 {
            let device = try test.addDevice(credential: holdings.device.row)
            let address = try test.register(device).address
            for _ in 0..<count / 3 {
                tickets.append(test.submit(.store(try test.message(address, body))))
            }
        }
        for ticket in tickets { _ = try test.box.outcome(ticket) }
        let export = StoreExport(.owner(try owner("owner-ann")))
        var (size, found, parts) = (0, 0, 0)
        var mark: Int?
        let needle = Data("\"body\":\"MDEy".utf8)
        let deadline = Date(timeIntervalSinceNow: 120)
        while Date() < deadline, case .export(let part?) = try test.load(.export(export)) {
            size += part.count
            parts += 1
            #expect(part.count <= 256 << 10)
            var rest = Data(part)
            while let range = rest.range(of: needle) {
                found += 1
                rest = Data(rest[range.upperBound...])
            }
            if parts == 10 { mark = try OwnMemory.resident() }
        }
        // One may be cut in two by the end of a part.
        #expect(size > count * body.utf8.count && (count - parts...count).contains(found))
        let growth = try OwnMemory.resident() - (try #require(mark))
        #expect(OwnMemory.isSanitized || growth < 16 << 20, "\(growth)")
    }

    @Test("What does not exist cannot be exported")
    func unknown() throws {
        for subject in [ExportSubject.owner(9), .device(9)] {
            guard case .unavailable = try test.load(.export(StoreExport(subject))) else {
                Issue.record("\(subject) is exported")
                continue
            }
        }
    }
}
