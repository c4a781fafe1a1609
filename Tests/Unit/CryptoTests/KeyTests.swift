import Base
import Crypto
import Foundation
import TestSupport
import Testing
import WebPush

@Suite("Keys")
struct KeyTests {
    /// The order of the group, FIPS 186-4 D.1.2.3.
    static let order =
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    static func number(_ text: String, plus offset: Int = 0) -> [UInt8] {
        var bytes = stride(from: 0, to: 64, by: 2).map { index in
            let start = text.index(text.startIndex, offsetBy: index)
            return UInt8(text[start...].prefix(2), radix: 16) ?? 0
        }
        bytes[31] = UInt8(Int(bytes[31]) + offset)
        return bytes
    }

    @Test("A private key is between 1 and the order")
    func range() throws {
        func isKey(_ bytes: [UInt8]) throws -> Bool {
            let key = try PrivateKey(bytes.span)
            return key != nil
        }
        #expect(try !isKey([UInt8](repeating: 0, count: 32)))
        #expect(try isKey([UInt8](repeating: 0, count: 31) + [1]))
        #expect(try isKey(Self.number(Self.order, plus: -1)))
        #expect(try !isKey(Self.number(Self.order)))
        #expect(try !isKey(Self.number(Self.order, plus: 1)))
        #expect(try !isKey([UInt8](repeating: 1, count: 31)))
        #expect(try !isKey([UInt8](repeating: 1, count: 33)))
    }

    @Test("The kinds in key files never change their names")
    func kinds() {
        let kinds: [StoredKey.Kind] = [.receiver, .vapid, .master]
        #expect(kinds.map(\.rawValue) == ["receiver", "vapid", "master"])
        #expect(kinds == StoredKey.Kind.allCases)
    }

    @Test("A key file gives back the key it was made from", arguments: StoredKey.Kind.allCases)
    func storedKey(kind: StoredKey.Kind) throws {
        let key = try StoredKey.generate(kind)
        let json = try key.json()
        let again = try StoredKey(json: json)
        let jsonAgain = try again.json()
        #expect(json == jsonAgain)
        #expect(again.kind == kind)
    }

    @Test("The published test pair is a key file")
    func publishedPair() throws {
        let file = Vectors.checkout.appending(path: "Keys/rfc8291-test.json")
        let data = try Data(contentsOf: file)
        let key = try StoredKey(json: Array(data))
        let vector = try WebPushVector.all("webpush").first { $0.id == "rfc8291-5" }
        #expect(key.publicParts.first?.value == vector?.pub)
    }

    @Test("A key file cut anywhere is rejected")
    func cutAnywhere() throws {
        let key = try StoredKey.generate(.receiver)
        let json = try key.json()
        for prefix in prefixes(of: Array(json.dropLast())) {
            #expect(throws: StoredKey.Failure.notAKey) {
                let key = try StoredKey(json: prefix)
                return key.kind
            }
        }
    }
}

@Suite("Keys that belong to a secret")
struct DerivedKeyTests {
    @Test("They are always the same, and another for each secret, label and number")
    func sameAgain() throws {
        let secret = try Random.secret(count: 32)
        let key = try PrivateKey.derived(from: secret, "one", number: 1)
        let again = try PrivateKey.derived(from: secret, "one", number: 1)
        #expect(key.publicKey == again.publicKey)
        let others = [
            try PrivateKey.derived(from: secret, "one", number: 2).publicKey,
            try PrivateKey.derived(from: secret, "two", number: 1).publicKey,
            try PrivateKey.derived(from: try Random.secret(count: 32), "one", number: 1).publicKey,
        ]
        #expect(Set(others + [key.publicKey]).count == 4)
    }
}
