import Base
import Crypto
import System
import WebPush

/// Prepared requests, each encrypted for one registration, so that encryption is not part of the
/// measurement.
struct PreparedPushes {
    struct BadKey: Error {}

    /// Far enough apart that consecutive pushes go to different accounts.
    private static let step = 617
    /// Over how many chats the messages are spread.
    private static let chats = 50

    /// `number` counts the messages of a chat.
    private static func payload(_ number: Int) -> [UInt8] {
        Array(
            (#"{"data":{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","Shall we meet at seven?"],"#
                + #""custom":{"from_id":"\#(777 + number % chats)","msg_id":"\#(number)"},"#
                + #""badge":"3","sound":"0.m4a","mutable":1},"date":1795281909,"user_id":"7"}"#)
                .utf8)
    }

    private var requests: ArraySlice<[UInt8]>

    init(_ targets: RegisteredTargets, count: Int, port: Int) throws {
        let authorization = try Self.authorization(targets.signingKey, port)
        // Its own salt makes each push different; a key for each would take minutes.
        let sender = try PrivateKey.generate()
        var encryptor = try Encryptor()
        // Messages of an earlier run are known already and would show nothing.
        let first = 1 + Int(WallClock.now) % 20_000 * 100_000
        var requests: [[UInt8]] = []
        requests.reserveCapacity(count)
        for number in 0..<count {
            let target = targets.targets[number * Self.step % targets.targets.count]
            let salt = try Random.bytes(count: 16)
            let payload = Self.payload(first + number)
            let push = try encryptor.encrypt(
                payload.span, for: target.publicKey, auth: target.auth, encoding: .aes128gcm,
                sender: sender, salt: salt.span)
            let head = [
                "POST \(target.path) HTTP/1.1", "Host: \(LoadConnection.host):\(port)",
                "TTL: 600", "Content-Encoding: aes128gcm", authorization,
                "Content-Length: \(push.body.count)", "", "",
            ].joined(separator: "\r\n")
            requests.append(Array(head.utf8) + push.body)
        }
        self.requests = requests[...]
    }

    /// Nil after the last one.
    mutating func next() -> [UInt8]? { requests.popFirst() }

    private static func authorization(_ key: Secret, _ port: Int) throws -> String {
        let privateKey = try key.withSpan { try PrivateKey($0) }
        guard let privateKey, let audience = Origin(url: "https://\(LoadConnection.host):\(port)")
        else { throw BadKey() }
        var signer = try SigningKey(privateKey)
        let token = VAPIDToken(
            audience: audience, expiry: Int(WallClock.now) + 3_600, subject: nil)
        let signature = try signer.sign(token.signingInput.span)
        let signed = token.signed(signature.span)
        return "Authorization: vapid t=\(signed), k=\(signer.publicKey.base64URL)"
    }
}

/// An application server that pushes to registrations, one request at a time.
final class RegistrationPublisher: HTTPPublisher {
    override func publish(_ body: [UInt8], to destination: [UInt8]) {
        guard let request = load.nextPrepared() else {
            return load.lost("publisher", "all prepared pushes are sent: prepare more of them")
        }
        send(request)
    }
}
