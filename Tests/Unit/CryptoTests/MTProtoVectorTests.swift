import Base
import Crypto
import Foundation
import TestSupport
import Testing

@Suite("MTProto 2.0 payloads")
struct MTProtoVectorTests {
    struct Vector: Decodable, Sendable, CustomStringConvertible {
        let name: String
        let auth_key: String
        let auth_key_id: String
        let p: String
        let expect: String
        let plaintext: String?
        let reason: String?

        var description: String { name }
        var secret: [UInt8] {
            stride(from: 0, to: auth_key.count, by: 2).map { offset in
                let start = auth_key.index(auth_key.startIndex, offsetBy: offset)
                return UInt8(auth_key[start...].prefix(2), radix: 16) ?? 0
            }
        }
    }

    struct File: Decodable { let vectors: [Vector] }

    static func vectors() throws -> [Vector] {
        try Vectors.load(File.self, from: "mtproto-push.json").vectors
    }

    /// TDLib accepts up to 15 bytes after the last block; genuine payloads never have them, so we
    /// do not.
    static let stricter: Set = ["5 junk bytes appended (length not a multiple of 16)"]

    static let refusals: [String: MTProtoSecret.Refusal] = [
        "auth_key_id mismatch": .unknownKey,
        "message_key mismatch": .badMessageKey,
        "message_data_length is too big": .badTextLength,
        "invalid padding length": .badPadding,
    ]

    @Test("Every payload gives its text or its refusal", arguments: try vectors())
    func vector(_ vector: Vector) throws {
        let secret = try #require(MTProtoSecret(Secret(vector.secret.span)))
        #expect(String(secret.keyID) == vector.auth_key_id || vector.expect == "error")
        let payload = Array(vector.p.utf8)
        do throws(MTProtoSecret.Failure) {
            let text = try secret.decrypt(payload.span)
            #expect(vector.expect == "ok" && text == Array((vector.plaintext ?? "").utf8))
        } catch {
            let refusal =
                Self.stricter.contains(vector.name)
                ? .badLength : vector.reason.flatMap { Self.refusals[$0] }
            #expect(error == refusal.map { .refusal($0) })
        }
    }

    @Test("A payload cut anywhere is refused")
    func cutAnywhere() throws {
        let vector = try #require(try Self.vectors().first)
        let secret = try #require(MTProtoSecret(Secret(vector.secret.span)))
        for prefix in prefixes(of: Array(vector.p.utf8)) {
            var refused = false
            do throws(MTProtoSecret.Failure) {
                _ = try secret.decrypt(prefix.span)
            } catch {
                refused = true
            }
            #expect(refused, "after \(prefix.count) characters")
        }
    }

    @Test("A secret has 256 bytes", arguments: [0, 255, 257])
    func length(count: Int) {
        let short = [UInt8](repeating: 1, count: count)
        let secret = MTProtoSecret(Secret(short.span))
        #expect(secret?.keyID == nil)
    }
}
