import Base
import Crypto
import TestSupport
import Testing
import WebPush

@Suite("Encryption")
struct EncryptorTests {
    static func vectors() throws -> [WebPushVector] {
        try WebPushVector.all("encrypt").filter { $0.singleRecord == nil }
            + WebPushVector.all("webpush").filter { $0.id == "rfc8291-5" }
    }

    @Test("The published examples come out byte for byte", arguments: try vectors())
    func published(_ vector: WebPushVector) throws {
        guard vector.rs ?? 4096 == 4096 else { return }
        let receiver = try #require(UncompressedPoint(base64URL: vector.pub ?? ""))
        let encoding = try #require(ContentEncoding(rawValue: vector.encoding))
        let text = bytes(vector.plaintext ?? vector.expect.ok)
        let salt = bytes(vector.salt)
        let senderBytes = bytes(vector.sender?.priv)
        guard let sender = try PrivateKey(senderBytes.span) else {
            Issue.record("the sender's key of \(vector.id)")
            return
        }
        var encryptor = try Encryptor()
        let push = try encryptor.encrypt(
            text.span, for: receiver, auth: secret(vector.auth), encoding: encoding,
            sender: sender, salt: salt.span, padding: vector.pad ?? 0)
        #expect(push.body == bytes(vector.body))
    }

    @Test(
        "Encrypted texts decrypt, from empty to the longest that fits",
        arguments: ContentEncoding.allCases)
    func roundTrip(encoding: ContentEncoding) throws {
        let keys = try ReceiverKeys.generate()
        var encryptor = try Encryptor()
        var decryptor = try Decryptor()
        let limit = Encryptor.textLimit(for: encoding)
        for length in [0, 1, 200, 3993, limit] {
            let text = try Random.bytes(count: length)
            let push = try encryptor.encrypt(
                text.span, for: keys.privateKey.publicKey, auth: keys.auth, encoding: encoding)
            let fields = Dictionary(uniqueKeysWithValues: push.fields.map { ($0.name, $0.value) })
            let parameters =
                switch encoding {
                case .aes128gcm: try EncryptionParameters(aes128gcm: push.body.span)
                case .aesgcm:
                    try EncryptionParameters(
                        aesgcm: push.body.span,
                        encryption: fields["Encryption"].map { Array($0.utf8) },
                        cryptoKey: fields["Crypto-Key"].map { Array($0.utf8) })
                }
            let decrypted = try decryptor.decrypt(push.body.span, parameters, keys: keys)
            #expect(decrypted == text)
        }
        let tooLong = [UInt8](repeating: 0, count: limit + 1)
        #expect(throws: Encryptor.Failure.tooLong(limit: limit)) {
            try encryptor.encrypt(
                tooLong.span, for: keys.privateKey.publicKey, auth: keys.auth,
                encoding: encoding)
        }
    }

    @Test("A receiver's key off the curve is refused")
    func offCurve() throws {
        var point = [UInt8](repeating: 7, count: 65)
        point[0] = 4
        let receiver = UncompressedPoint(point.span)
        var encryptor = try Encryptor()
        let auth = try Random.secret(count: 16)
        let text: [UInt8] = [1]
        #expect(throws: Encryptor.Failure.badReceiverKey) {
            try encryptor.encrypt(
                text.span, for: try #require(receiver), auth: auth, encoding: .aes128gcm)
        }
    }
}
