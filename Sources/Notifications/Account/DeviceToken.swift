import Base

/// TDLib's `DeviceToken`, and how the server expects it.
struct DeviceToken {
    let type: Int32
    let token: String
    var isSandbox = false
    var isEncrypted = false

    enum Failure: Error { case invalid(String) }

    init(_ node: JSONNode) throws(Failure) {
        let name = node["@type"]?.text ?? ""
        guard let kind = Self.kinds[name] else { throw .invalid("Device token must be non-empty") }
        type = kind.type
        isSandbox = kind.hasSandbox && node.flag("is_app_sandbox")
        isEncrypted = kind.canEncrypt && node.flag("encrypt")
        if type == Self.webPush {
            token = try Self.webPushToken(node)
            return
        }
        let value = node[kind.member]
        token = value?.text ?? ""
        if value?.hasLoneSurrogate == true {
            throw .invalid("Device token must be encoded in UTF-8")
        }
    }

    private static func webPushToken(_ node: JSONNode) throws(Failure) -> String {
        let endpoint = node["endpoint"]?.text ?? ""
        let key = node["p256dh_base64url"]?.text ?? ""
        let auth = node["auth_base64url"]?.text ?? ""
        if endpoint.utf8.contains(UInt8(ascii: ",")) { throw .invalid("Illegal endpoint value") }
        guard isBase64URL(key) else { throw .invalid("Public key must be base64url-encoded") }
        guard isBase64URL(auth) else {
            throw .invalid("Authentication secret must be base64url-encoded")
        }
        if node["endpoint"]?.hasLoneSurrogate == true {
            throw .invalid("Endpoint must be encoded in UTF-8")
        }
        if endpoint.isEmpty { return "" }
        return RegistrationToken.text(endpoint: endpoint, p256dh: key, auth: auth)
    }

    private static func isBase64URL(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Base64URL.decodeToleratingPadding(bytes.span) != nil
    }

    static let webPush: Int32 = 10

    struct Kind {
        let type: Int32
        let member: StaticString
        var hasSandbox = false
        var canEncrypt = false
    }

    static let kinds: [String: Kind] = [
        "deviceTokenApplePush": Kind(type: 1, member: "device_token", hasSandbox: true),
        "deviceTokenFirebaseCloudMessaging": Kind(type: 2, member: "token", canEncrypt: true),
        "deviceTokenMicrosoftPush": Kind(type: 3, member: "channel_uri"),
        "deviceTokenSimplePush": Kind(type: 4, member: "endpoint"),
        "deviceTokenUbuntuPush": Kind(type: 5, member: "token"),
        "deviceTokenBlackBerryPush": Kind(type: 6, member: "token"),
        "deviceTokenWindowsPush": Kind(type: 8, member: "access_token"),
        "deviceTokenApplePushVoIP": Kind(
            type: 9, member: "device_token", hasSandbox: true, canEncrypt: true),
        "deviceTokenWebPush": Kind(type: 10, member: "endpoint"),
        "deviceTokenMicrosoftPushVoIP": Kind(type: 11, member: "channel_uri"),
        "deviceTokenTizenPush": Kind(type: 12, member: "reg_id"),
        "deviceTokenHuaweiPush": Kind(type: 13, member: "token", canEncrypt: true),
    ]
}

/// The token text that `account.registerDevice` expects for a Web Push subscription, byte for byte.
package enum RegistrationToken {
    /// `isSigned` asks the server to sign its pushes; the member stands last, as other clients
    /// write it.
    package static func text(
        endpoint: String, p256dh: String, auth: String, isSigned: Bool = false
    ) -> String {
        "{\"endpoint\":\(quoted(endpoint)),\"keys\":{\"p256dh\":\(quoted(p256dh)),"
            + "\"auth\":\(quoted(auth))}" + (isSigned ? ",\"vapid\":true}" : "}")
    }

    /// Escapes everything outside ASCII as `\uXXXX` in lower case. A slash is not escaped.
    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: #"\""#.utf8)
            case "\\": bytes.append(contentsOf: #"\\"#.utf8)
            case " "..."~": bytes.append(contentsOf: scalar.utf8)
            default: JSONWriter.escape(scalar, into: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The arguments of `registerDevice` for one type of token.
package struct RegisteredDevice: Equatable, Sendable, Confidential {
    package var tokenType: Int32
    package var token: String
    package var otherUserIDs: [Int64]
    package var isSandbox: Bool
    /// The key with which Telegram encrypts pushes to this token.
    package var encryption: Encryption?

    /// The 256 bytes given to the server, and the number by which the server refers to them.
    package struct Encryption: Equatable, Sendable, Confidential {
        package internal(set) var keyID: Int64
        package internal(set) var secret: [UInt8]

        package init(keyID: Int64, secret: [UInt8]) {
            self.keyID = keyID
            self.secret = secret
        }
    }
}
