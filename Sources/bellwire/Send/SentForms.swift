import Base
import Crypto
import Outbound
import System
import WebPush

extension Command {
    static func encrypt(
        _ message: [UInt8], _ subscription: PushSubscription, _ encoding: ContentEncoding,
        into request: inout HTTPRequest
    ) throws {
        guard let keys = subscription.keys else {
            throw CommandError.usage(
                "a message needs the receiver's keys",
                hint: "add --p256dh and --auth, or use --to FILE")
        }
        var encryptor = try Encryptor()
        let push: EncryptedPush
        do throws(Encryptor.Failure) {
            push = try encryptor.encrypt(
                message.span, for: keys.p256dh, auth: keys.auth, encoding: encoding)
        } catch {
            switch error {
            case .tooLong(let limit):
                throw CommandError(
                    message: "the message is too long", hint: "send at most \(limit) bytes")
            case .badReceiverKey: throw CommandError(message: "p256dh is not on the curve")
            case .fault(let fault): throw fault
            }
        }
        request.body = push.body
        request.fields.append(("Content-Encoding", encoding.rawValue))
        request.fields += push.fields
        request.fields.append(("Content-Type", "application/octet-stream"))
    }

    /// Signs the request. For aesgcm it uses the older scheme, because some old receivers know no
    /// other.
    static func sign(
        _ request: inout HTTPRequest, keyFile path: String, _ encoding: ContentEncoding,
        _ subject: String?
    ) throws {
        guard case .vapid(let privateKey) = try storedKey(at: path) else {
            throw CommandError(
                message: "\(path) is not a VAPID key",
                hint: "make one with: bellwire keys new vapid FILE")
        }
        guard let audience = Origin(url: request.url) else {
            throw CommandError.usage("the endpoint is not an http or https URL")
        }
        let signature = try VAPIDSignature(for: audience, key: privateKey, subject: subject)
        switch encoding {
        case .aes128gcm:
            request.fields.append(("Authorization", signature.authorization))
        case .aesgcm:
            request.fields.append(("Authorization", "WebPush \(signature.token)"))
            if let index = request.fields.firstIndex(where: { $0.name == "Crypto-Key" }) {
                request.fields[index].value += ";p256ecdsa=\(signature.publicKey)"
            } else {
                request.fields.append(("Crypto-Key", "p256ecdsa=\(signature.publicKey)"))
            }
        }
    }
}

/// An endpoint and its keys: a browser's PushSubscription as JSON.
struct PushSubscription: Confidential {
    let endpoint: String
    /// Nil for a subscription that gets pushes without a body.
    let keys: (p256dh: UncompressedPoint, auth: Secret)?

    init(endpoint: String, p256dh: String?, auth: String?) throws {
        guard Origin(url: endpoint) != nil else {
            throw CommandError.usage("the endpoint is not an http or https URL")
        }
        self.endpoint = endpoint
        switch (p256dh, auth) {
        case (nil, nil): keys = nil
        case (let p256dh?, let auth?):
            guard let point = UncompressedPoint(base64URL: p256dh) else {
                throw CommandError.usage(
                    "p256dh is not a public key",
                    hint: "it needs 65 bytes in base64url, the first of them 04")
            }
            guard let secret = Base64URL.decode(auth), secret.count == 16 else {
                throw CommandError.usage(
                    "auth is not an auth secret",
                    hint: "it needs 16 bytes in base64url without padding")
            }
            keys = (point, Secret(secret.span))
        default: throw CommandError.usage("give both p256dh and auth, or neither")
        }
    }

    init(json: [UInt8]) throws {
        guard let root = try? JSONDocument(json).root, let endpoint = root["endpoint"]?.text else {
            throw CommandError(
                message: "the file does not hold a subscription",
                hint: #"expected {"endpoint": "…", "keys": {"p256dh": "…", "auth": "…"}}"#)
        }
        let keys = root["keys"] ?? root
        try self.init(
            endpoint: endpoint, p256dh: keys["p256dh"]?.text, auth: keys["auth"]?.text)
    }
}

/// A signed token that names the sender of a push, and the public key (RFC 8292).
struct VAPIDSignature: Confidential {
    let token: String
    let publicKey: String

    /// Half of what RFC 8292 section 2 allows, in case the clocks differ.
    private static let lifetime = 12 * 60 * 60

    init(
        for audience: Origin, key: borrowing PrivateKey, subject: String?
    ) throws(OpenSSLError) {
        var key = try SigningKey(key)
        let token = VAPIDToken(
            audience: audience, expiry: Int(WallClock.now) + Self.lifetime, subject: subject)
        let signature = try key.sign(token.signingInput.span)
        self.token = token.signed(signature.span)
        publicKey = key.publicKey.base64URL
    }

    /// The value of the field Authorization.
    var authorization: String { "vapid t=\(token), k=\(publicKey)" }
}

/// Messages in the form of Apple's push service, with an id as ZEGO's ZPNs adds it: a later message
/// with the same id replaces or removes the earlier one.
extension Command {
    private static let appleOptions = ["title", "sound", "badge", "custom-id"]

    /// Returns the message unchanged unless options add more than text.
    static func dressed(_ message: [UInt8]?, _ arguments: Arguments) throws -> [UInt8]? {
        let name = arguments["custom-id"]
        let isRetracting = arguments.has("retract")
        guard appleOptions.contains(where: { arguments[$0] != nil }) || isRetracting else {
            return message
        }
        let badge = try badge(arguments)
        let isShown = message != nil || arguments["title"] != nil
        try check(name, isRetracting: isRetracting, isShown: isShown)
        guard isShown || arguments["sound"] == nil else {
            throw CommandError.usage("--sound needs a message")
        }
        var payload = JSONWriter()
        payload.object { payload in
            payload.name("aps")
            payload.object { aps in
                alert(message, arguments["title"], into: &aps)
                if let sound = arguments["sound"] { aps.member("sound", sound) }
                if let badge { aps.member("badge", badge) }
                if name != nil { aps.member("mutable-content", 1) }
            }
            guard let name else { return }
            var own = JSONWriter()
            own.object { own in
                own.member("customId", name)
                if isRetracting { own.member("retract", true) }
            }
            payload.member("payload", own.text)
        }
        return payload.bytes
    }

    private static func check(_ name: String?, isRetracting: Bool, isShown: Bool) throws {
        guard let name else {
            if isRetracting { throw CommandError.usage("--retract needs --custom-id") }
            return
        }
        guard !name.isEmpty else { throw CommandError.usage("--custom-id is empty") }
        guard isRetracting != isShown else {
            throw CommandError.usage("give either a message or --retract with --custom-id")
        }
    }

    private static func alert(
        _ message: [UInt8]?, _ title: String?, into aps: inout JSONWriter
    ) {
        let body = message.map { String(decoding: $0, as: UTF8.self) }
        guard let title else {
            if let body { aps.member("alert", body) }
            return
        }
        aps.name("alert")
        aps.object { alert in
            alert.member("title", title)
            if let body { alert.member("body", body) }
        }
    }

    private static func badge(_ arguments: Arguments) throws -> Int? {
        guard let text = arguments["badge"] else { return nil }
        guard let badge = UInt32(decimalDigits: Array(text.utf8).span) else {
            throw CommandError.usage("--badge takes a number")
        }
        return Int(badge)
    }
}
