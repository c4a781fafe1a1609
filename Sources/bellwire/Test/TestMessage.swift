import Base
import Crypto
import Outbound
import PushService
import System
import WebPush

/// Messages of a test that is sender and receiver: encrypted for its own keys, and compared after
/// decryption.
struct TestMessage: ~Copyable {
    /// In seconds, longer than the test may take. A push that nobody fetches then expires.
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

    /// The key that endpoints are bound to.
    var applicationKey: String { signingKey.publicKey.base64URL }

    /// Makes a new message, encrypted and signed for the endpoint.
    mutating func request(
        to endpoint: String, _ settings: CallbackSettings
    ) throws -> LoopRequest {
        guard let audience = Origin(url: endpoint) else {
            throw CommandError(message: "the endpoint is not an http or https URL")
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

    /// Whether it is the last message sent.
    mutating func isLast(_ body: [UInt8]) -> Bool {
        guard let parameters = try? EncryptionParameters(aes128gcm: body.span) else { return false }
        return (try? decryptor.decrypt(body.span, parameters, keys: keys)) == text
    }
}

/// Sends the pushes of a test and recognizes them when they arrive.
final class TestSender {
    private let client: LoopClient
    private let settings: CallbackSettings
    private var message: TestMessage

    private init(
        _ client: LoopClient, _ settings: CallbackSettings, _ message: consuming TestMessage
    ) {
        self.client = client
        self.settings = settings
        self.message = message
    }

    static func make(on loop: EventLoop, authorities: String?) throws -> TestSender {
        var settings = CallbackSettings(userAgent: "bellwire/\(ProgramVersion.text)")
        settings.client.authorities = authorities
        return TestSender(
            try LoopClient(on: loop, settings.client), settings, try TestMessage())
    }

    /// The key that endpoints are bound to.
    var applicationKey: String { message.applicationKey }

    func isLast(_ body: [UInt8]) -> Bool { message.isLast(body) }

    /// `completion` gets the status of the answer.
    func push(to endpoint: String, completion: @escaping (Result<Int, CommandError>) -> Void) {
        do {
            client.send(try message.request(to: endpoint, settings)) { result in
                completion(
                    result.map(\.status).mapError { CommandError(message: $0.description) })
            }
        } catch {
            completion(.failure(CommandError(error)))
        }
    }

    func close() { client.close() }
}
