import Base
import WebPush

/// An endpoint and its keys: a browser's PushSubscription as JSON.
struct Subscription: Confidential {
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
        var texts: [String: String] = [:]
        var scanner = JSONScanner(json)
        do throws(JSONScanner.Failure) {
            try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                if scanner.isEqual(name, "keys"), scanner.isAtObject {
                    try scanner.forEachMember { name, scanner throws(JSONScanner.Failure) in
                        texts[scanner.string(name)] = try scanner.stringOrSkip().map(scanner.string)
                    }
                } else {
                    texts[scanner.string(name)] = try scanner.stringOrSkip().map(scanner.string)
                }
            }
            try scanner.expectEnd()
        } catch {
            texts = [:]
        }
        guard let endpoint = texts["endpoint"] else {
            throw CommandError(
                message: "the file does not hold a subscription",
                hint: #"expected {"endpoint": "…", "keys": {"p256dh": "…", "auth": "…"}}"#)
        }
        try self.init(endpoint: endpoint, p256dh: texts["p256dh"], auth: texts["auth"])
    }
}
