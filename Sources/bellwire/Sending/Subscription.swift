import Base
import WebPush

/// Where a push goes and to whom it is encrypted: a browser's PushSubscription as JSON.
struct Subscription: Confidential {
    let endpoint: String
    /// Absent for a subscription that takes no text.
    let keys: (p256dh: UncompressedPoint, auth: Secret)?

    init(endpoint: String, p256dh: String?, auth: String?) throws {
        guard Origin(url: endpoint) != nil else {
            throw CommandError.usage("the endpoint is no http or https URL")
        }
        self.endpoint = endpoint
        switch (p256dh, auth) {
        case (nil, nil): keys = nil
        case (let p256dh?, let auth?):
            guard let point = UncompressedPoint(base64URL: p256dh) else {
                throw CommandError.usage(
                    "p256dh is no public key", hint: "65 bytes in base64url, the first of them 04")
            }
            guard let secret = Base64URL.decode(auth), secret.count == 16 else {
                throw CommandError.usage(
                    "auth is no auth secret", hint: "16 bytes in base64url without padding")
            }
            keys = (point, Secret(secret.span))
        default: throw CommandError.usage("p256dh and auth go together")
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
                message: "the file holds no subscription",
                hint: #"expected {"endpoint": "…", "keys": {"p256dh": "…", "auth": "…"}}"#)
        }
        try self.init(endpoint: endpoint, p256dh: texts["p256dh"], auth: texts["auth"])
    }
}
