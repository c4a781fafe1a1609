import Base
import Crypto
import TestSupport
import Testing
import WebPush

@Suite("Decryption of Web Push vectors")
struct DecryptionVectorTests {
    /// Where the specifications leave a choice, we accept padded base64, and a keyid that matches
    /// nothing next to a single dh.
    static let tolerated: Set = [
        "m-salt-padded-quoted", "m-keyid-mismatch", "m-keyid-only-encryption",
    ]
    /// The readers recorded in the file give another answer than the file's own ruling; we give
    /// theirs.
    static let otherWord = ["n-body-base64url": "bad-keyid-length"]

    @Test("Every vector gives its text or its refusal", arguments: try WebPushVector.all("webpush"))
    func vector(_ vector: WebPushVector) throws {
        let outcome = try decrypt(vector)
        if Self.tolerated.contains(vector.id) {
            #expect(outcome == .success(bytes(vector.tolerated?.first)), "\(vector.id)")
        } else if let text = vector.strict.ok {
            #expect(outcome == .success(bytes(text)), "\(vector.id)")
        } else {
            let word = Self.otherWord[vector.id] ?? vector.strict.error ?? ""
            #expect(outcome == .failure(DecryptionRefusal(rawValue: word)), "\(vector.id)")
        }
    }

    @Test(
        "The push of every recorded sender is decrypted", arguments: try RecordedPush.all("webpush")
    )
    func recorded(_ push: RecordedPush) throws {
        guard !push.request.body.isEmpty else { return }
        let outcome = try decryption(
            encoding: push.encoding, body: bytes(push.request.body),
            encryption: push.header("encryption"), cryptoKey: push.header("crypto-key"),
            priv: push.priv, pub: push.pub, auth: push.auth)
        if let text = push.expect.ok {
            #expect(outcome == .success(bytes(text)), "\(push.id)")
        } else {
            #expect(outcome == .failure(push.expect.error.flatMap(DecryptionRefusal.init)))
        }
    }

    @Test("The part below the key agreement", arguments: try WebPushVector.all("ecdh-secret"))
    func belowKeyAgreement(_ vector: WebPushVector) throws {
        let body = bytes(vector.ciphertext)
        let receiver = try #require(UncompressedPoint(base64URL: vector.pub ?? ""))
        let sender = try #require(UncompressedPoint(base64URL: vector.sender?.pub ?? ""))
        let encoding = try #require(ContentEncoding(rawValue: vector.encoding))
        let salt = bytes(vector.salt)
        let parameters = EncryptionParameters(
            encoding: encoding, salt: EncryptionParameters.Salt { salt[$0] }, senderKey: sender,
            recordSize: vector.rs ?? 4096, ciphertext: 0..<body.count)
        var decryptor = try Decryptor()
        let outcome: Outcome
        do {
            try Record.check(parameters)
            let shared = bytes(vector.sharedSecret)
            outcome = .success(
                try decryptor.decrypt(
                    body.span, parameters, sharedSecret: shared.span, receiver: receiver,
                    auth: secret(vector.auth)))
        } catch let error as DecryptionRefusal {
            outcome = .failure(error)
        } catch DecryptionError.refusal(let refusal) {
            outcome = .failure(refusal)
        }
        if let text = vector.strict.ok {
            #expect(outcome == .success(bytes(text)), "\(vector.id)")
        } else {
            #expect(outcome == .failure(vector.strict.error.flatMap(DecryptionRefusal.init)))
        }
    }

    enum Outcome: Equatable {
        case success([UInt8])
        case failure(DecryptionRefusal?)
    }

    private func decrypt(_ vector: WebPushVector) throws -> Outcome {
        try decryption(
            encoding: vector.encoding, body: bytes(vector.body),
            encryption: vector.header("encryption"), cryptoKey: vector.header("crypto-key"),
            priv: vector.priv, pub: vector.pub, auth: vector.auth)
    }

    private func decryption(
        encoding: String, body: [UInt8], encryption: [UInt8]?, cryptoKey: [UInt8]?,
        priv: String?, pub: String?, auth: String?
    ) throws -> Outcome {
        var decryptor = try Decryptor()
        do {
            let privateKey = try PrivateKey(bytes(priv).span)
            guard let privateKey else { return .failure(.badPrivateKey) }
            let point = privateKey.publicKey
            guard let keys = ReceiverKeys(privateKey: privateKey, auth: secret(auth)) else {
                return .failure(.badAuthLength)
            }
            guard point == UncompressedPoint(bytes(pub).span) else {
                return .failure(.keyMismatch)
            }
            let parameters: EncryptionParameters
            switch encoding {
            case "aes128gcm": parameters = try EncryptionParameters(aes128gcm: body.span)
            case "aesgcm":
                parameters = try EncryptionParameters(
                    aesgcm: body.span, encryption: encryption, cryptoKey: cryptoKey)
            case "aesgcm-gateway": parameters = try EncryptionParameters(gateway: body.span)
            default: return .failure(.unsupportedEncoding)
            }
            return .success(try decryptor.decrypt(body.span, parameters, keys: keys))
        } catch let refusal as DecryptionRefusal {
            return .failure(refusal)
        } catch DecryptionError.refusal(let refusal) {
            return .failure(refusal)
        }
    }
}
