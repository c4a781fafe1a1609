import Base
import Crypto
import Outbound
import PushService
import System
import WebPush

/// Pushes of a test that knows both ends: what is sent is encrypted for keys of its own, and what
/// comes back is decrypted and compared.
struct TestMessage: ~Copyable {
    /// Longer than it may take; a push that nobody fetches goes by itself.
    private static let lifetime = 30
    private static let textLength = 32

    private let keys: ReceiverKeys
    private let signingKey: PrivateKey
    private var encryptor: Encryptor
    private var decryptor: Decryptor
    private var text: [UInt8] = []

    init() throws {
        let keys = try ReceiverKeys.generate()
        let signingKey = try PrivateKey.generate()
        let encryptor = try Encryptor()
        let decryptor = try Decryptor()
        self.keys = keys
        self.signingKey = signingKey
        self.encryptor = encryptor
        self.decryptor = decryptor
    }

    /// The key that endpoints are to be bound to.
    var applicationKey: String { signingKey.publicKey.base64URL }

    /// A new message, encrypted and signed for that endpoint.
    mutating func request(
        to endpoint: String, _ settings: CallbackSettings
    ) throws -> LoopRequest {
        guard let audience = Origin(url: endpoint) else {
            throw CommandError(message: "the endpoint is no http or https URL")
        }
        let random = try Random.bytes(count: Self.textLength)
        text = Array(Base64URL.text(random.span).utf8)
        let text = text
        let push = try encryptor.encrypt(
            text.span, for: keys.privateKey.publicKey, auth: keys.auth, encoding: .aes128gcm)
        let signature = try VAPIDSignature(for: audience, key: signingKey, subject: nil)
        return try settings.request(
            to: endpoint, for: CallbackRights(userID: ProcessOwner.userID),
            fields: [
                ("TTL", "\(Self.lifetime)"), ("Urgency", "high"),
                ("Content-Encoding", push.encoding.rawValue),
                ("Content-Type", "application/octet-stream"),
                ("Authorization", signature.authorization),
            ], body: push.body)
    }

    /// Whether that is what was sent last.
    mutating func isLast(_ body: [UInt8]) -> Bool {
        guard let parameters = try? EncryptionParameters(aes128gcm: body.span) else { return false }
        return (try? decryptor.decrypt(body.span, parameters, keys: keys)) == text
    }
}
