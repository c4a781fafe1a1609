import Base
import Crypto
import Delivery
import TestSupport
import Testing
import WebPush

import enum Notifications.TrustLevel

@testable import Mailbox

@Suite("Quotas")
struct QuotaLedgerTests {
    private func ledger() -> QuotaLedger {
        var limits = QuotaLimits()
        limits.device = QuotaLimits.Room(messages: 10, bytes: 1_000)
        limits.owner = QuotaLimits.Room(messages: 15, bytes: 10_000)
        limits.all = QuotaLimits.Room(messages: 22, bytes: 10_000)
        var ledger = QuotaLedger(limits: limits)
        ledger.addDevice(1, owner: 7)
        ledger.addDevice(2, owner: 7)
        ledger.addDevice(3, owner: 8)
        return ledger
    }

    private func fill(
        _ ledger: inout QuotaLedger, _ subscription: UInt32, _ device: UInt32, size: Int = 1
    ) -> (count: Int, refusal: QuotaRefusal?) {
        let address = Address(subscription: subscription, device: device)
        for count in 0..<100 {
            if let refusal = ledger.reserve(size, for: address) { return (count, refusal) }
        }
        return (100, nil)
    }

    @Test("A subscription gets half of its device's room, in messages and in bytes")
    func subscription() {
        var ledger = ledger()
        #expect(fill(&ledger, 1, 1) == (5, .subscriptionFull))
        #expect(fill(&ledger, 2, 2, size: 200) == (2, .subscriptionFull))
    }

    @Test("Device and owner limits affect only their own, and the total affects all")
    func deviceAndOwner() {
        var ledger = ledger()
        #expect(fill(&ledger, 1, 1) == (5, .subscriptionFull))
        #expect(fill(&ledger, 2, 1) == (5, .subscriptionFull))
        #expect(fill(&ledger, 3, 1) == (0, .deviceFull))
        #expect(fill(&ledger, 4, 2) == (5, .subscriptionFull))
        #expect(fill(&ledger, 5, 2) == (0, .ownerFull))
        #expect(fill(&ledger, 6, 3) == (5, .subscriptionFull))
        #expect(fill(&ledger, 7, 3) == (2, .allFull))
        ledger.release(1, for: Address(subscription: 1, device: 1))
        #expect(fill(&ledger, 7, 3) == (1, .allFull))
    }

    @Test("Strangers of one network cannot use up others' room, and together they have one owner's")
    func networks() throws {
        var limits = QuotaLimits()
        limits.network = QuotaLimits.Room(messages: 20, bytes: 1_000_000)
        limits.owner = QuotaLimits.Room(messages: 50, bytes: 1_000_000)
        var ledger = QuotaLedger(limits: limits)
        let key = Secret([UInt8](repeating: 7, count: 32).span)
        for (device, network) in [(1, 1), (2, 1), (3, 2), (4, 3)] as [(UInt32, UInt64)] {
            let number = try StrangerNumber(network: network, key: key)
            #expect(number == (try StrangerNumber(network: network, key: key)))
            ledger.addDevice(device, owner: number.row)
        }
        ledger.addDevice(5, owner: 0)
        #expect(fill(&ledger, 1, 1) == (20, .ownerFull))
        #expect(fill(&ledger, 2, 2) == (0, .ownerFull))
        #expect(fill(&ledger, 3, 3) == (20, .ownerFull))
        #expect(fill(&ledger, 4, 4) == (10, .ownerFull))
        #expect(fill(&ledger, 5, 5) == (50, .ownerFull))
        for _ in 0..<20 { ledger.release(1, for: Address(subscription: 1, device: 1)) }
        #expect(fill(&ledger, 4, 4) == (10, .ownerFull))
        #expect(fill(&ledger, 2, 2) == (10, .ownerFull))
    }

    @Test("An ended message frees exactly its own room")
    func release() {
        var ledger = ledger()
        let address = Address(subscription: 1, device: 1)
        _ = fill(&ledger, 1, 1)
        ledger.release(1, for: address)
        #expect(fill(&ledger, 1, 1) == (1, .subscriptionFull))
        for _ in 0..<20 { ledger.release(1, for: address) }
        #expect(ledger.usage(ofDevice: 1) == (0, 0))
        #expect(fill(&ledger, 1, 1) == (5, .subscriptionFull))
    }
}

@Suite("Endpoint tokens")
struct EndpointTokenTests {
    @Test("A location tells only who has the key whose push it was")
    func locations() throws {
        let key = try Random.secret(count: 32)
        var mint = try EndpointMint(key: key)
        var other = try EndpointMint(key: try Random.secret(count: 32))
        let locations = try (0..<64).map { _ in try mint.location(for: 7) }
        for location in locations { #expect(try mint.device(of: location) == 7) }
        #expect(try locations.allSatisfy { try other.device(of: $0) != 7 })
        #expect(Set(locations.map { UInt32(truncatingIfNeeded: $0.low) }).count > 60)
    }

    @Test("Our tokens are recognised and found by digest; changed, cut or foreign ones are not")
    func ours() throws {
        let key = try Random.secret(count: 32)
        var mint = try EndpointMint(key: key)
        let token = try mint.make()
        #expect(token.bytes.count == 28)
        let text = Base64URL.encode(token.bytes.span)
        func isOurs(_ text: [UInt8]) throws -> Bool { try mint.token(text.span) != nil }
        #expect(try mint.token(text.span)?.bytes == token.bytes)
        for index in token.bytes.indices {
            var changed = token.bytes
            changed[index] ^= 1
            #expect(try !isOurs(Base64URL.encode(changed.span)))
        }
        for prefix in prefixes(of: text) { #expect(try !isOurs(prefix)) }
        for rest in ["A", "==", "\0"] { #expect(try !isOurs(text + rest.utf8)) }
        var other = try EndpointMint(key: try Random.secret(count: 32))
        #expect(try other.token(text.span) == nil)
        #expect(try mint.digest(of: token) == other.digest(of: token))
        #expect(try mint.make().bytes != token.bytes)
        #expect("\(token)" == "<EndpointToken>")
    }
}

@Suite("The sealed record of a message")
struct MessageRecordTests {
    static let content = MessageContent(
        body: [9, 8, 7],
        headers: PayloadHeaders(encoding: .aesgcm, encryption: [1, 2], cryptoKey: [3]),
        topic: Topic("t"), urgency: .low, ttl: 12)

    private func record(
        _ content: MessageContent = Self.content, _ level: TrustLevel? = nil, arrival: Int64 = 1
    ) -> [UInt8] {
        MessageRecord.bytes(
            Message(
                id: MessageID(high: 1, low: 2), location: LocationID(Bits128(high: 3, low: 4)),
                address: Address(subscription: 1, device: 1), sequence: 1, content: content,
                level: level, arrival: arrival, expiry: StoreTime(milliseconds: 1)))
    }

    @Test("A record reads back unchanged and counts with its whole length")
    func roundTrip() throws {
        let record = record(Self.content, .webpush, arrival: -5)
        #expect(record.count == Self.content.size)
        let read = MessageRecord.content(of: record.span)
        let (content, level, arrival) = try #require(read)
        #expect(content == Self.content)
        #expect(level == .webpush)
        #expect(arrival == -5)
    }

    private func isRecord(_ bytes: [UInt8]) -> Bool {
        MessageRecord.content(of: bytes.span) != nil
    }

    @Test("The numbers of encodings, levels and urgencies never change")
    func numbers() {
        let urgencies: [Urgency] = [.veryLow, .low, .normal, .high]
        #expect(urgencies == Urgency.allCases)
        let encodings: [ContentEncoding?] = [nil, .aes128gcm, .aesgcm]
        #expect(encodings.count == ContentEncoding.allCases.count + 1)
        for (rank, urgency) in urgencies.enumerated() {
            for (number, encoding) in encodings.enumerated() {
                var content = Self.content
                content.urgency = urgency
                content.headers = encoding.map { PayloadHeaders(encoding: $0) }
                let record = record(content, .mtproto)
                #expect(record[1] == UInt8(3 << 4 | number) && record[2] == UInt8(rank))
            }
        }
        #expect([SubscriptionKind.channel, .receiver, .signal].map(\.rawValue) == [0, 1, 2])
        #expect(SubscriptionKind.allCases.count == 3)
        let hash = KeyHash(high: 1, low: 2)
        let senders: [SenderRule] = [.anyone, .key(hash), .firstKey]
        #expect(senders.map(\.number) == [0, 1, 2])
        let read = (0...3).map { SenderRule(number: $0, keyHash: hash.bytes) }
        #expect(read == [.anyone, .key(hash), .firstKey, nil])
        let states: [CallbackState] = [.unconfirmed, .active, .ending, .gone, .lapsed]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect([CallbackRows.Rank.introduction, .inOrder, .parked].map(\.rawValue) == [0, 1, 2])
        #expect([RegistrationTerms.TokenType.simplePush, .webPush].map(\.rawValue) == [4, 10])
        #expect(
            RegistrationTerms.NotifyMode.allCases.map(\.rawValue) == [
                "disabled", "sendOnlyOne", "sendOnePerConversation", "applePushNotification",
            ])
    }

    @Test("A record that is cut, or of another version, is rejected")
    func cut() {
        let record = record()
        for length in 0..<record.count - Self.content.body.count {
            #expect(!isRecord(Array(record[..<length])))
        }
        let newer = [2] + record.dropFirst()
        #expect(!isRecord(newer))
    }
}
