import Base
import Delivery
import WebPush

/// The JSON form of a registration, which is sealed as one record.
extension Registration {
    func record() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("created", Int(created))
            writer.name("terms")
            terms.write(to: &writer)
            writer.name("targets")
            writer.array { writer in for target in targets { target.write(to: &writer) } }
            if let secret {
                writer.name("secret")
                secret.write(to: &writer)
            }
            writer.member("seen", Int(seen.milliseconds))
            writer.member("paused", isPaused)
            writer.member("mobile", isMobile)
            writer.member("other_mobile", isOtherMobile)
            writer.member("away", isAway)
            writer.member("warned", isWarned)
            writer.member("reminded", Int(reminded.milliseconds))
        }
        return writer.bytes
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    init?(
        record: [UInt8], id: RegistrationID, device: UInt32, owner: String, revision: Int64,
        engine: UInt32
    ) {
        guard let root = try? JSONDocument(record).root, let created = root["created"]?.integer,
            let terms = root["terms"].flatMap({ try? RegistrationTerms($0) }),
            let seen = root["seen"]?.integer
        else { return nil }
        self.id = id
        self.device = device
        self.owner = owner
        self.revision = revision
        self.engine = engine
        self.created = created
        self.terms = terms
        targets = root["targets"]?.elements.compactMap(Target.init) ?? []
        secret = root["secret"].flatMap(SecretPair.init)
        self.seen = StoreTime(milliseconds: seen)
        isPaused = root["paused"]?.bool ?? false
        isMobile = root["mobile"]?.bool ?? true
        isOtherMobile = root["other_mobile"]?.bool ?? false
        isAway = root["away"]?.bool ?? false
        isWarned = root["warned"]?.bool ?? false
        reminded = root["reminded"]?.time ?? self.seen
        guard !targets.isEmpty else { return nil }
    }
}

extension Registration.Target {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("subscription", Int(subscription))
            let token = token.bytes
            writer.member("token", Base64URL.text(token.span))
            if let keys {
                writer.member("p256dh", keys.publicKey.base64URL)
                writer.member("private", keys.privateKey.withSpan(Base64URL.text))
                writer.member("auth", keys.auth.withSpan(Base64URL.text))
            }
            if let ends { writer.member("ends", Int(ends.milliseconds)) }
        }
    }

    fileprivate init?(_ node: JSONNode) {
        guard let row = node["subscription"]?.integer, let token = node["token"]?.bytes else {
            return nil
        }
        subscription = UInt32(clamping: row)
        self.token = EndpointToken(recorded: token)
        keys = Registration.Keys(node)
        ends = node["ends"]?.time
    }
}

extension Registration.Keys {
    fileprivate init?(_ node: JSONNode) {
        guard let publicKey = node["p256dh"]?.text.flatMap(UncompressedPoint.init(base64URL:)),
            let privateKey = node["private"]?.secret, let auth = node["auth"]?.secret
        else { return nil }
        self.init(publicKey: publicKey, privateKey: privateKey, auth: auth)
    }
}

extension Registration.SecretPair {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("current", current.withSpan(Base64URL.text))
            if let former, let formerEnds {
                writer.member("former", former.withSpan(Base64URL.text))
                writer.member("ends", Int(formerEnds.milliseconds))
            }
        }
    }

    fileprivate init?(_ node: JSONNode) {
        guard let current = node["current"]?.secret else { return nil }
        self.init(
            current: current, former: node["former"]?.secret,
            formerEnds: node["ends"]?.time)
    }
}

extension JSONNode {
    fileprivate var bytes: [UInt8]? { text.flatMap { Base64URL.decode($0) } }
    fileprivate var secret: Secret? { bytes.map { Secret($0.span) } }
    fileprivate var time: StoreTime? { integer.map { StoreTime(milliseconds: $0) } }
}
