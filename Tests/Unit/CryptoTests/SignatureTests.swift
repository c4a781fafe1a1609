import Base
import TestSupport
import Testing
import WebPush

@testable import Crypto

@Suite("ES256 signatures")
struct SignatureTests {
    @Test("Our signatures verify, and others do not")
    func roundTrip() throws {
        let privateKey = try PrivateKey.generate()
        var signer = try SigningKey(privateKey)
        guard var verifier = try VerificationKey(privateKey.publicKey) else {
            Issue.record("a fresh key is on the curve")
            return
        }
        var hash = try SHA256()
        for count in 0..<40 {
            let text = [UInt8](repeating: UInt8(count), count: count)
            var signature = try signer.sign(text.span)
            let digest = try hash.digest(of: text.span)
            #expect(signature.count == 64)
            let isValid = try verifier.verify(signature.span, of: digest)
            signature[count] ^= 1
            let isForged = try verifier.verify(signature.span, of: digest)
            #expect(isValid && !isForged)
        }
    }

    @Test("A signature with leading zeros keeps its 64 bytes")
    func leadingZeros() {
        var raw = [UInt8](repeating: 0, count: 64)
        raw[31] = 1
        raw[63] = 0x80
        let encoded = DERSignature(raw.span).withBytes(Array.init)
        #expect(encoded == [0x30, 7, 2, 1, 1, 2, 2, 0, 0x80])
        let decoded = DERSignature.raw(encoded.span)
        #expect(decoded == raw)
    }

    @Test("A DER signature cut anywhere is rejected")
    func cutAnywhere() {
        let raw = [UInt8](repeating: 0xFF, count: 64)
        let encoded = DERSignature(raw.span).withBytes(Array.init)
        for prefix in prefixes(of: encoded) {
            let decoded = DERSignature.raw(prefix.span)
            #expect(decoded == nil)
        }
    }

    @Test("Our own token passes our own check")
    func token() throws {
        let privateKey = try PrivateKey.generate()
        var signer = try SigningKey(privateKey)
        let origin = try #require(Origin(url: "https://push.example.net/wpush/v1/x"))
        let token = VAPIDToken(
            audience: origin, expiry: 1_700_000_000, subject: "mailto:admin@example.net")
        let signature = try signer.sign(token.signingInput.span)
        let field =
            "vapid t=\(token.signed(signature.span)), k=\(privateKey.publicKey.base64URL)"
        var verifier = try VAPIDVerifier()
        let policy = VAPIDPolicy(
            now: 1_699_990_000, origins: [Array("https://push.example.net".utf8)], leeway: 0)
        let entry = try verifier.verify(
            authorization: Array(field.utf8), cryptoKey: nil, policy: policy)
        #expect(entry.claims.expiry == 1_700_000_000)
    }
}
