import Base
import TestSupport
import Testing
import WebPush

@testable import Crypto

/// RFC 8188 alone, without the key agreement of Web Push.
@Suite("RFC 8188 vectors with an explicit key")
struct ExplicitKeyVectorTests {
    static func vectors() throws -> [WebPushVector] {
        try WebPushVector.all("ece") + WebPushVector.all("ece-aesgcm")
    }

    @Test("A single record gives its text or its refusal", arguments: try vectors())
    func vector(_ vector: WebPushVector) throws {
        let result = try decrypt(vector)
        if let text = vector.strict.ok {
            #expect(result == bytes(text), "\(vector.id)")
        } else {
            #expect(result == nil, "\(vector.id)")
        }
    }

    private func decrypt(_ vector: WebPushVector) throws -> [UInt8]? {
        let isOld = vector.kind == "ece-aesgcm"
        let body = bytes(vector.body)
        let headerLength = isOld ? 0 : 21 + Int(body.count > 20 ? body[20] : 255)
        guard body.count >= headerLength else { return nil }
        let salt = isOld ? bytes(vector.salt) : Array(body[..<16])
        let size =
            isOld ? vector.rs ?? 4096 : body[16..<20].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let record = Array(body[headerLength...])
        let encoding = isOld ? ContentEncoding.aesgcm : .aes128gcm
        let parameters = EncryptionParameters(
            encoding: encoding, salt: EncryptionParameters.Salt { salt[$0] },
            senderKey: try #require(UncompressedPoint(base64URL: Self.anyKey)),
            recordSize: size, ciphertext: 0..<record.count)
        guard size >= 18, (try? Record.check(parameters)) != nil else { return nil }

        var hash = try SHA256()
        let inputKey = bytes(vector.ikm)
        let key = try hash.hmac(key: salt.span, inputKey.span)
        func expanded(_ label: StaticString) throws -> [UInt8] {
            try hash.beginHMAC(key: key.span)
            try hash.update(label)
            try hash.update("\u{1}")
            let block = try hash.finishHMAC()
            return block.indices.map { block[$0] }
        }
        let contentKey = Array(try expanded(encoding.contentKeyLabel)[..<16])
        let nonce = Array(try expanded(ContentEncoding.nonceLabel)[..<12])
        var cipher = try GCM("AES-128-GCM", encrypts: false)
        var plain = [UInt8](repeating: 0, count: record.count)
        let length = try plain.withUnsafeMutableBufferPointer { output in
            try cipher.open(
                record.span, key: contentKey.span, nonce: nonce.span, associated: Span(),
                into: output)
        }
        guard let length else { return nil }
        let text = try? Record.text(of: plain.span.extracting(0..<length), encoding: encoding)
        return text.map { Array(plain[$0]) }
    }

    private static let anyKey =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
}
