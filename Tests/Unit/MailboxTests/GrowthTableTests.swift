import Base
import Delivery
import Foundation
import SQLite
import TestSupport
import Testing
import WebPush

@testable import Mailbox

/// What an owner can make grow.
enum GrowthKind: CaseIterable {
    case credentials, userAgents, registrations, messages, endpoints, strangers,
        endpointsOfStrangers, endedEndpoints
    case answers, callbacks, outboxes, chatsByNumber, chatsOfClient, enginesOfOwner

    /// A Telegram message in an unknown chat.
    static func message(from user: Int) -> String {
        let text = String(repeating: "x", count: 400)
        return #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","\#(text)"],"#
            + #""custom":{"from_id":"\#(user + 1)","msg_id":"1"}}"#
    }
}

@Suite("Growth limits")
struct GrowthTableTests {
    private final class Owner {
        let test: TestStore
        let name: String
        let credential: UInt32
        var limit = 1_000

        init(_ name: String, _ test: TestStore) throws {
            self.test = test
            self.name = name
            credential = test.store.index.nextCredential()
            try add(name, as: credential)
        }

        func add(_ device: String, as row: UInt32) throws {
            let credential = DeviceCredential(
                row: row, secret: try test.digest(), name: device, owner: name, created: 1)
            _ = try test.run(.addCredential(credential))
        }

        func device() throws -> UInt32 { try test.addDevice(credential: credential) }

        func register(_ json: String, _ kept: KeptAnswer? = nil) throws -> (
            outcome: StoreOutcome, registration: Registration, address: Address
        ) {
            let (registration, subscription) = try test.draft(json, owner: name)
            let operation = RegistrationOperation.create(
                registration, subscription, credential: credential, limit: limit, kept)
            return (
                try test.run(.registration(operation)), registration, subscription.address
            )
        }

        func answer() throws -> KeptAnswer {
            let digest = try test.digest()
            return KeptAnswer(
                request: digest, body: digest, answer: [UInt8](repeating: 1, count: 300))
        }

        func push(_ address: Address, _ number: Int) throws -> Bool {
            guard let message = try? test.message(address, GrowthKind.message(from: number))
            else { return false }
            let push = try test.push(address.device)
            let outcome = try test.run(.registration(.receive(message, nil, push)))
            if case .stored = outcome { return true }
            return outcome == .done
        }

        func request(_ text: String, of engine: UInt32) throws {
            let client = EngineClientID(engine: engine, number: 1)
            try test.expectDone(.engine(.request(client, Array(text.utf8))))
        }
    }

    /// At most a hundredth of the usual limits.
    private static func small(_ options: inout SQLiteStore.Options) {
        options.limits.quota.device = QuotaLimits.Room(messages: 2_000, bytes: 1 << 20)
        options.limits.quota.owner = QuotaLimits.Room(messages: 400, bytes: 256 << 10)
        options.limits.growth.strangers = 100
        options.limits.growth.endpoints = 100
        options.limits.growth.endpointsOfStrangers = 100
        options.limits.growth.endedEndpoints = 100
        options.limits.growth.answers = GrowthLimits.Room(count: 100, bytes: 64 << 10)
        options.limits.growth.callbacks = GrowthLimits.Room(count: 100, bytes: 64 << 10)
        options.limits.growth.engine = 128 << 10
        options.limits.growth.engines = 192 << 10
        // Nobody answers for what only engines store.
        options.limits.engineJournal = 256 << 10
    }

    /// Requests three times the limit; returns the amount reached and the limit.
    private func grow(_ kind: GrowthKind, _ owner: Owner) throws -> (is: Int64, bound: Int64) {
        let test = owner.test
        switch kind {
        case .credentials:
            for number in 0..<3 * OwnerLimits.devices {
                try owner.add("device \(number)", as: test.store.index.nextCredential())
            }
            return (try count("credential", test), Int64(OwnerLimits.devices))
        case .userAgents:
            for _ in 0..<2 * OwnerLimits.userAgents { _ = try? owner.device() }
            return (try count("device", test), Int64(OwnerLimits.userAgents))
        case .registrations:
            owner.limit = 100
            for _ in 0..<300 { _ = try owner.register(TestStore.terms) }
            return (try count("registration", test), 100)
        case .messages:
            let address = try test.register(try owner.device()).address
            for _ in 0..<1_200 { _ = try? test.keep(address) }
            return (try count("message", test), 400)
        case .endpoints:
            for _ in 0..<3 {
                let device = try owner.device()
                for _ in 0..<100 { _ = try test.run(.register(try test.subscription(device))) }
            }
            return (try count("subscription", test), 100)
        case .strangers:
            for _ in 0..<300 { _ = try? test.addDevice() }
            return (try count("device", test), 100)
        case .endpointsOfStrangers:
            let device = try test.addDevice()
            for _ in 0..<300 { _ = try test.run(.register(try test.subscription(device))) }
            return (try count("subscription", test), 100)
        case .endedEndpoints:
            let device = try owner.device()
            for _ in 0..<300 {
                let row = try test.register(device).address.subscription
                try test.expectDone(.unregister(subscription: row))
            }
            return (try count("ended_endpoint", test), 100)
        case .answers, .callbacks:
            for _ in 0..<300 {
                let made = try owner.register(
                    Self.callbackTerms, kind == .answers ? try owner.answer() : nil)
                guard made.outcome == .done else { continue }
                let device = made.registration.device
                try test.make(device)
                try test.settle(device, .delivered)
                try test.expectDone(.registration(.end(device: device)))
                let last = kind == .callbacks ? try test.event("deleted") : nil
                try test.expectDone(.callback(.end(callback: device, last: last)))
            }
            return (try count(kind == .answers ? "kept_answer" : "callback", test), 100)
        case .outboxes:
            let text = String(repeating: "x", count: 1_000)
            for _ in 0..<10 {
                let device = try owner.register(Self.callbackTerms).registration.device
                try test.make(device)
                for number in 0..<20 {
                    let event = try test.event(text, isPush: !number.isMultiple(of: 4))
                    _ = try test.run(.callback(.add(event, to: device)))
                }
            }
            // The service's own events may take as much again.
            return (try sum("bytes", "callback", test), 2 * (64 << 10))
        case .chatsByNumber:
            let address = try owner.register(TestStore.terms).address
            test.store.index.engines.addFetcher(of: address.device)
            for number in 0..<1_000 { #expect(try owner.push(address, number)) }
            return (try sum("size", "engine", test), 128 << 10 + 72 << 10)
        case .chatsOfClient:
            let address = try owner.register(TestStore.terms).address
            let title = String(repeating: "x", count: 4_000)
            for chat in 1...500 {
                try owner.request(
                    #"{"@type":"bellwire.setChat","chat_id":\#(chat),"title":"\#(title)"}"#,
                    of: address.device)
            }
            return (try sum("size", "engine", test), 128 << 10 + 72 << 10)
        case .enginesOfOwner:
            let title = String(repeating: "x", count: 4_000)
            for engine in 0..<5 {
                let json = #"{"token_type":10,"app":"telegram","account":"\#(engine)"}"#
                let address = try owner.register(json).address
                for chat in 1...150 {
                    try owner.request(
                        #"{"@type":"bellwire.setChat","chat_id":\#(chat),"title":"\#(title)"}"#,
                        of: address.device)
                }
            }
            return (try sum("size", "engine", test), 192 << 10 + 5 * 72 << 10)
        }
    }

    private static let callbackTerms =
        #"{"token_type":10,"app":"a","account":"b","callback":"https://app.example/"}"#

    private func count(_ table: String, _ test: TestStore) throws -> Int64 {
        try integer("SELECT count(*) FROM \(table)", test)
    }

    private func sum(_ column: String, _ table: String, _ test: TestStore) throws -> Int64 {
        try integer("SELECT sum(\(column)) FROM \(table)", test)
    }

    private func integer(_ sql: String, _ test: TestStore) throws -> Int64 {
        try Connection(test.path + "/" + WriterDatabase.fileName, .readOnly).integer(sql)
    }

    @Test(
        "Each kind stops at its limit, other owners are still served, and the cost stays small",
        arguments: GrowthKind.allCases)
    func table(_ kind: GrowthKind) throws {
        let test = try TestStore(Self.small)
        let greedy = try Owner("greedy", test)
        let before = try OwnMemory.resident()
        let grown = try grow(kind, greedy)
        #expect(grown.is <= grown.bound)
        #expect(grown.is > grown.bound / 4, "\(grown.is): it was not tried")
        let other = try Owner("other", test)
        let address = try test.register(try other.device()).address
        _ = try test.keep(address)
        #expect(try test.waiting(address.device).count == 1)
        let made = try other.register(Self.callbackTerms, try other.answer())
        #expect(made.outcome == .done)
        #expect(try other.push(made.address, 1))
        try test.make(made.registration.device)
        let event = try test.event("push")
        try test.expectDone(.callback(.add(event, to: made.registration.device)))
        test.close()
        let path = test.path + "/" + WriterDatabase.fileName
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        // As docs/limits.md says.
        #expect((size ?? .max) < 2 << 20)
        #expect(try OwnMemory.resident() - before < 96 << 20)
    }

    /// An account with a fetcher, where pushes create no chats.
    private func strict() throws -> (TestStore, Owner, Address) {
        let test = try TestStore(Self.small)
        let owner = try Owner("greedy", test)
        let address = try owner.register(TestStore.terms).address
        test.store.index.engines.addFetcher(of: address.device)
        try owner.request(
            #"{"@type":"bellwire.setChatPolicy","policy":"strict"}"#, of: address.device)
        return (test, owner, address)
    }

    @Test("Deletions of unknown messages stay within the account's limit")
    func barred() throws {
        let (test, owner, address) = try strict()
        let engine = address.device
        try owner.request(#"{"@type":"bellwire.setChat","chat_id":1}"#, of: engine)
        let first = #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","x"],"#
        _ = try test.receive(address, first + #""custom":{"from_id":"1","msg_id":"1"}}"#)
        for start in stride(from: 10, to: 20_010, by: 200) {
            let ids = (start..<start + 200).map(String.init).joined(separator: ",")
            let push =
                #"{"loc_key":"MESSAGE_DELETED","custom":{"from_id":"1","messages":"\#(ids)"}}"#
            // Remembering all 20,000 would take five times the room.
            #expect(try test.receive(address, push) != .full)
        }
        #expect(try test.bodies(address.device).isEmpty)
    }

    @Test("A full account accepts deletions, and after them additions")
    func room() throws {
        let (test, owner, address) = try strict()
        let engine = address.device
        for chat in 1...500 {
            try owner.request(
                #"{"@type":"bellwire.setChat","chat_id":\#(chat),"#
                    + #""title":"\#(String(repeating: "x", count: 1_000))"}"#, of: engine)
        }
        #expect(try !owner.push(address, 0), "its sender is told to try again")
        for chat in 1...500 {
            try owner.request(
                #"{"@type":"bellwire.removeChat","chat_id":\#(chat)}"#, of: engine)
        }
        #expect(try !owner.push(address, 0), "it is not measured for each push")
        test.clocks.advance(seconds: 11)
        #expect(try owner.push(address, 0))
        #expect(try sum("size", "engine", test) < 8 << 10)
    }
}
