package import Base
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
            let seen = root["seen"]?.time, let isPaused = root["paused"]?.bool,
            let isMobile = root["mobile"]?.bool, let isOtherMobile = root["other_mobile"]?.bool,
            let isAway = root["away"]?.bool, let isWarned = root["warned"]?.bool,
            let reminded = root["reminded"]?.time
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
        self.seen = seen
        self.isPaused = isPaused
        self.isMobile = isMobile
        self.isOtherMobile = isOtherMobile
        self.isAway = isAway
        self.isWarned = isWarned
        self.reminded = reminded
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
        guard let row = node["subscription"]?.integer,
            let token = node["token"]?.bytes.flatMap(EndpointToken.init(recorded:))
        else { return nil }
        subscription = UInt32(clamping: row)
        self.token = token
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

/// The members of a JSON object. Each is read once, with the type it must have.
package struct RegistrationMembers {
    package typealias Fault = RegistrationTerms.Fault

    private var members: [String: JSONNode] = [:]

    package init(_ object: JSONNode) throws(Fault) {
        guard object.kind == .object else { throw Fault("the body is not a JSON object") }
        for (name, value) in object.members {
            guard members.updateValue(value, forKey: name) == nil else {
                throw Fault("\(name) is given twice")
            }
        }
    }

    /// Rejects members that were not read.
    package func expectNoOthers() throws(Fault) {
        guard let name = members.keys.min() else { return }
        throw Fault("\(Printable.text(name, limit: 64)) is not a member of this request")
    }

    mutating func forget(_ name: String) { members[name] = nil }

    package mutating func text(_ name: String) throws(Fault) -> String? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .string, let text = node.text else {
            throw Fault("\(name) must be a text")
        }
        return text
    }

    /// A text that people see in lists and logs.
    mutating func name(_ name: String, limit: Int) throws(Fault) -> String? {
        guard let text = try text(name) else { return nil }
        guard (1...limit).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: Printable.isUnsafe)
        else { throw Fault("\(name) must have 1 to \(limit) printable bytes") }
        return text
    }

    package mutating func flag(_ name: String) throws(Fault) -> Bool? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard let flag = node.bool else { throw Fault("\(name) must be true or false") }
        return flag
    }

    package mutating func object(_ name: String) throws(Fault) -> JSONNode? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .object else { throw Fault("\(name) must be an object") }
        return node
    }

    mutating func integer(_ name: String) throws(Fault) -> Int64? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .number, let number = node.integer else {
            throw Fault("\(name) must be a whole number")
        }
        return number
    }

    package mutating func seconds(
        _ name: String, _ range: ClosedRange<UInt32>
    ) throws(Fault) -> UInt32? {
        guard let number = try integer(name) else { return nil }
        guard let seconds = UInt32(exactly: number), range.contains(seconds) else {
            throw Fault("\(name) must be \(range.lowerBound) to \(range.upperBound) seconds")
        }
        return seconds
    }

    /// A number, or a string that holds one.
    mutating func userID(_ name: String) throws(Fault) -> Int64? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        return try Self.userID(node, name)
    }

    package mutating func hosts(_ name: String) throws(Fault) -> NamedHosts {
        guard let node = members.removeValue(forKey: name) else { return NamedHosts() }
        let texts = node.elements.compactMap(\.text)
        guard node.kind == .array, texts.count == node.elements.count,
            let hosts = NamedHosts(texts)
        else { throw Fault("\(name) must be a list of at most \(NamedHosts.most) hosts") }
        return hosts
    }

    mutating func userIDs(_ name: String, limit: Int) throws(Fault) -> [Int64]? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .array, node.elements.count <= limit else {
            throw Fault("\(name) must be a list of at most \(limit)")
        }
        var ids: [Int64] = []
        for element in node.elements { ids.append(try Self.userID(element, name)) }
        return ids
    }

    private static func userID(_ node: JSONNode, _ name: String) throws(Fault) -> Int64 {
        guard let id = node.integer, id > 0 else { throw Fault("\(name) contains a wrong user id") }
        return id
    }

    /// Reads defaults as in the ICQ protocol: `loc_args` names the values that go into the text.
    mutating func presentation(_ name: String) throws(Fault) -> String? {
        guard let node = members.removeValue(forKey: name) else { return nil }
        guard node.kind == .object else { throw Fault("\(name) must be an object") }
        var seen: Set<String> = []
        for (member, value) in node.members {
            let isRight =
                switch member {
                case "sound", "loc_key", "action_loc_key": value.kind == .string
                case "replies": value.kind == .bool
                case "loc_keys":
                    value.kind == .object && value.members.count <= Self.sentenceLimit
                        && value.members.allSatisfy { $0.value.kind == .string }
                case "link_schemes": Self.areSchemes(value)
                case "badge": [.bool, .number, .string].contains(value.kind)
                case "loc_args":
                    value.kind == .string
                        || value.kind == .array
                            && value.elements.allSatisfy { $0.kind == .string }
                default: false
                }
            guard isRight, seen.insert(member).inserted else {
                throw Fault("\(name) contains a wrong member")
            }
        }
        return JSONText.anew(node)
    }

    private static let schemeLimit = 16
    private static let sentenceLimit = 500

    private static func areSchemes(_ node: JSONNode) -> Bool {
        node.kind == .array && node.elements.count <= schemeLimit
            && node.elements.allSatisfy { element in
                element.kind == .string && element.text.map(URLScheme.isScheme) == true
            }
    }
}
