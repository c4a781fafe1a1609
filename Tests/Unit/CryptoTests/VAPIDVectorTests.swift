import Base
import Crypto
import Foundation
import TestSupport
import Testing
import WebPush

@Suite("VAPID vectors")
struct VAPIDVectorTests {
    /// Where the specifications leave a choice, a trailing `=` is accepted, and both alphabets for
    /// the key.
    static let tolerated: Set = ["w-sig-padded", "w-k-padded", "w-k-standard-alphabet"]

    @Test("Every signature is judged as recorded", arguments: try WebPushVector.all("vapid"))
    func vector(_ vector: WebPushVector) throws {
        var verifier = try VAPIDVerifier()
        // The second time the signature comes from the cache; the result must be the same.
        for _ in 0..<2 {
            let word = try verdict(on: vector, &verifier)
            if vector.expect.error == nil || Self.tolerated.contains(vector.id) {
                #expect(word == nil, "\(vector.id)")
            } else {
                #expect(word == vector.expect.error, "\(vector.id)")
            }
        }
    }

    private func verdict(
        on vector: WebPushVector, _ verifier: inout VAPIDVerifier
    ) throws -> String? {
        var hash = try SHA256()
        let boundKey = try vector.boundKey.map {
            KeyHash(Digest(try hash.digest(of: bytes($0).span)))
        }
        let policy = VAPIDPolicy(
            now: vector.now ?? 0, origins: [Array((vector.origin ?? "").utf8)], leeway: 0,
            keyHash: boundKey)
        do throws(VAPIDError) {
            _ = try verifier.verify(
                authorization: vector.header("authorization"),
                cryptoKey: vector.header("crypto-key"), policy: policy)
            return nil
        } catch {
            guard case .refusal(let refusal) = error else { throw error }
            return refusal.word
        }
    }

    @Test(
        "In 2039 and 2106 a signature is valid exactly until it expires",
        arguments: [2_147_483_600, 2_177_452_800, 4_294_967_290, 4_300_000_000] as [Int])
    func farTime(now: Int) throws {
        let key = try PrivateKey.generate()
        let origin = Array("https://push.example".utf8)
        func refusal(expiry: Int, at now: Int) throws -> String? {
            let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
            let claims = Array(#"{"aud":"https://push.example","exp":\#(expiry)}"#.utf8)
            let input = Base64URL.text(header.span) + "." + Base64URL.text(claims.span)
            var signing = try SigningKey(key)
            let signature = try signing.sign(Array(input.utf8).span)
            let token = input + "." + Base64URL.text(signature.span)
            var verifier = try VAPIDVerifier()
            do throws(VAPIDError) {
                _ = try verifier.verify(
                    authorization: Array("vapid t=\(token), k=\(key.publicKey.base64URL)".utf8),
                    cryptoKey: nil,
                    policy: VAPIDPolicy(now: Double(now), origins: [origin], leeway: 60))
                return nil
            } catch {
                guard case .refusal(let refusal) = error else { throw error }
                return refusal.word
            }
        }
        #expect(try refusal(expiry: now + 12 * 3_600, at: now) == nil)
        #expect(try refusal(expiry: now, at: now + 59) == nil)
        #expect(try refusal(expiry: now, at: now + 61) != nil)
        #expect(try refusal(expiry: now + 25 * 3_600, at: now) != nil)
    }

    @Test(
        "The cache entry of a token is small, whatever is in the token",
        .disabled(if: OwnMemory.isSanitized), arguments: [1, 8, 9, 1_000])
    func memory(audiences: Int) async {
        // In a process of its own, whose memory no other test grows.
        await #expect(processExitsWith: .success) { [audiences] in
            try Self.remember(audiences)
        }
    }

    private static func remember(_ audiences: Int) throws {
        let audience = "https://push.example"
        let list = Array(repeating: #""\#(audience)""#, count: audiences).joined(separator: ",")
        let policy = VAPIDPolicy(now: 1_000, origins: [Array(audience.utf8)], leeway: 0)
        let fields = try (0..<400).map { _ in
            try VAPIDTokens().field(claims: #"{"aud":[\#(list)],"exp":2000}"#)
        }
        var verifier = try VAPIDVerifier()
        let before = try OwnMemory.resident()
        for field in fields {
            _ = try verifier.verify(authorization: field, cryptoKey: nil, policy: policy)
        }
        let grown = try OwnMemory.resident() - before
        #expect(grown < 2_000_000, "\(grown / 400) bytes each")
    }

    @Test("A recorded sender's signature verifies", arguments: try RecordedPush.all("webpush"))
    func recorded(_ push: RecordedPush) throws {
        guard let authorization = push.header("authorization") else { return }
        let origin = try #require(Origin(url: push.endpoint))
        // webpush 1.0.6 and the Rust web-push crate leave out the port.
        let origins = [origin.description, "\(origin.scheme)://\(origin.host)"]
        let policy = VAPIDPolicy(
            now: push.request.at, origins: origins.map { Array($0.utf8) }, leeway: 60)
        var verifier = try VAPIDVerifier()
        #expect(throws: Never.self) {
            try verifier.verify(
                authorization: authorization, cryptoKey: push.header("crypto-key"),
                policy: policy)
        }
    }
}

/// Signs tokens with its own key.
private struct VAPIDTokens: ~Copyable {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate() }

    /// Authorization with these claims, given as JSON.
    func field(claims: String) throws -> [UInt8] {
        let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
        let input = Base64URL.text(header.span) + "." + Base64URL.text(Array(claims.utf8).span)
        var signing = try SigningKey(key)
        let signature = try signing.sign(Array(input.utf8).span)
        let token = input + "." + Base64URL.text(signature.span)
        return Array("vapid t=\(token), k=\(key.publicKey.base64URL)".utf8)
    }
}
