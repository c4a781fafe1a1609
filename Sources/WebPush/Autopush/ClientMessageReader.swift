import Base

/// Parses a text frame: first the position of each member's value, then what the message needs.
///
/// Members may come in any order; unknown ones are skipped, whatever they hold.
struct ClientMessageReader {
    typealias Invalid = JSONCursor.Invalid

    /// The start of each value; -1 for a member that is absent.
    private var starts = InlineArray<13, Int>(repeating: -1)
    private var hasMembers = false
    /// The updates, already read: most often the type comes before them.
    private var updates: AcknowledgedUpdates?

    static func message(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        var reader = ClientMessageReader()
        var cursor = JSONCursor()
        try cursor.beginObject(in: payload)
        while let name = try cursor.nextName(in: payload) {
            let member = name.withValue(in: payload) { ClientMember($0) }
            _ = try cursor.kind(in: payload)
            reader.starts[member.rawValue] = cursor.position
            reader.hasMembers = true
            if member == .updates, reader.isAcknowledgement(payload) {
                reader.updates = try AcknowledgedUpdates(reading: payload, &cursor)
            } else {
                try cursor.skipValue(in: payload)
            }
        }
        try cursor.expectEnd(in: payload)
        return try reader.message(payload)
    }

    private func message(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        guard var cursor = cursor(.messageType) else {
            guard !hasMembers else { throw Invalid() }
            return .ping
        }
        let type = try cursor.string(in: payload)
        return try type.withValue(in: payload) { word throws(Invalid) in
            switch word.count {
            case 3 where word.elementsEqual("ack"): try acknowledgement(payload)
            case 4 where word.elementsEqual("nack"): try failureReport(payload)
            case 4 where word.elementsEqual("ping"): .ping
            case 5 where word.elementsEqual("hello"): .hello(try hello(payload))
            case 7 where word.elementsEqual("urgency"): try urgency(payload)
            case 8 where word.elementsEqual("register"): try registration(payload)
            case 10 where word.elementsEqual("unregister"): try unregistration(payload)
            case 19 where word.elementsEqual("broadcast_subscribe"):
                .broadcastSubscription(try broadcasts(payload, isRequired: true))
            default: throw Invalid()
            }
        }
    }

    private func cursor(_ member: ClientMember) -> JSONCursor? {
        let start = starts[member.rawValue]
        return start < 0 ? nil : JSONCursor(at: start)
    }

    private func required(_ member: ClientMember) throws(Invalid) -> JSONCursor {
        guard let cursor = cursor(member) else { throw Invalid() }
        return cursor
    }

    /// Nil also for `null`.
    private func optional(
        _ member: ClientMember, _ payload: Span<UInt8>
    ) throws(Invalid) -> JSONCursor? {
        guard var cursor = cursor(member), try cursor.kind(in: payload) != .null else { return nil }
        return cursor
    }

    private func checkCode(_ payload: Span<UInt8>) throws(Invalid) {
        guard var cursor = try optional(.code, payload) else { return }
        try cursor.code(in: payload)
    }
}

extension ClientMessageReader {
    private func isAcknowledgement(_ payload: Span<UInt8>) -> Bool {
        guard var cursor = cursor(.messageType), let type = try? cursor.string(in: payload) else {
            return false
        }
        return payload.extracting(type.range).elementsEqual("ack")
    }

    private func acknowledgement(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        if let updates { return .acknowledgement(updates) }
        var cursor = try required(.updates)
        return .acknowledgement(try AcknowledgedUpdates(reading: payload, &cursor))
    }

    private func failureReport(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        var cursor = try required(.version)
        _ = try cursor.string(in: payload)
        try checkCode(payload)
        return .failureReport
    }

    private func urgency(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        var cursor = try required(.min)
        let word = try cursor.string(in: payload)
        guard let urgency = word.withValue(in: payload, { Urgency($0) }) else { throw Invalid() }
        return .urgency(urgency)
    }

    private func registration(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        var cursor = try required(.channelID)
        let channel = try cursor.string(in: payload)
        let key: ClientMessage.Key
        if var cursor = try optional(.key, payload) {
            let text = try cursor.string(in: payload)
            let bytes = text.withValue(in: payload) { Base64URL.decodeToleratingPadding($0) }
            key = bytes.map { $0.isEmpty ? .malformed : .bytes($0) } ?? .malformed
        } else {
            key = .absent
        }
        let bits = channel.withValue(in: payload) { Bits128(canonicalUUID: $0) }
        return .register(bits.map { ChannelID($0) }, key: key)
    }

    private func unregistration(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage {
        var cursor = try required(.channelID)
        let channel = try cursor.string(in: payload)
        try checkCode(payload)
        guard let bits = channel.withValue(in: payload, { Bits128(uuid: $0) }) else {
            throw Invalid()
        }
        return .unregister(ChannelID(bits))
    }

    private func hello(_ payload: Span<UInt8>) throws(Invalid) -> ClientMessage.Hello {
        var userAgent: UserAgentID?
        if var cursor = try optional(.uaid, payload) {
            // An invalid UUID counts as absent.
            userAgent = try cursor.string(in: payload)
                .withValue(in: payload) { Bits128(uuid: $0) }
                .map { UserAgentID($0) }
        }
        var usesWebPush = false
        if var cursor = try optional(.useWebPush, payload) {
            usesWebPush = try cursor.bool(in: payload)
        }
        if var cursor = try optional(.channelIDs, payload) { try cursor.uuids(in: payload) }
        return ClientMessage.Hello(
            userAgent: userAgent, usesWebPush: usesWebPush, extensions: try extensions(payload),
            broadcasts: try broadcasts(payload, isRequired: false))
    }

    /// A list of words. Unknown words and other values are ignored.
    private func extensions(_ payload: Span<UInt8>) throws(Invalid) -> AutopushExtensions {
        var extensions = AutopushExtensions()
        guard var cursor = cursor(.extensions), try cursor.kind(in: payload) == .array else {
            return extensions
        }
        try cursor.beginArray(in: payload)
        while try cursor.nextElement(in: payload) {
            guard try cursor.kind(in: payload) == .string else {
                try cursor.skipValue(in: payload)
                continue
            }
            let word = try cursor.string(in: payload)
            extensions.formUnion(word.withValue(in: payload) { AutopushExtensions($0) })
        }
        return extensions
    }

    private func broadcasts(
        _ payload: Span<UInt8>, isRequired: Bool
    ) throws(Invalid) -> BroadcastNames {
        guard var cursor = try isRequired ? required(.broadcasts) : optional(.broadcasts, payload)
        else { return BroadcastNames() }
        let names = BroadcastNames(at: cursor.position)
        try cursor.beginObject(in: payload)
        while try cursor.nextName(in: payload) != nil { _ = try cursor.string(in: payload) }
        return names
    }
}

extension JSONCursor {
    /// Reads an integer; the protocol's codes have no fraction.
    mutating func code(in text: Span<UInt8>) throws(Invalid) {
        guard try kind(in: text) != .null else { return try null(in: text) }
        for index in try number(in: text) where !text[index].isDigit { throw Invalid() }
    }

    fileprivate mutating func uuids(in text: Span<UInt8>) throws(Invalid) {
        try beginArray(in: text)
        while try nextElement(in: text) {
            let channel = try string(in: text)
            guard channel.withValue(in: text, { Bits128(uuid: $0) }) != nil else { throw Invalid() }
        }
    }
}

/// The members of a user agent's messages that this service reads.
enum ClientMember: Int {
    case messageType
    case uaid
    case channelID
    case key
    case version
    case code
    case updates
    case channelIDs
    case broadcasts
    case extensions
    case useWebPush
    case min
    case unknown

    /// Compares lengths first, which tells most names apart.
    init(_ name: Span<UInt8>) {
        switch name.count {
        case 3 where name.elementsEqual("key"): self = .key
        case 3 where name.elementsEqual("min"): self = .min
        case 4 where name.elementsEqual("code"): self = .code
        case 4 where name.elementsEqual("uaid"): self = .uaid
        case 7 where name.elementsEqual("version"): self = .version
        case 7 where name.elementsEqual("updates"): self = .updates
        case 9 where name.elementsEqual("channelID"): self = .channelID
        case 10 where name.elementsEqual("channelIDs"): self = .channelIDs
        case 10 where name.elementsEqual("broadcasts"): self = .broadcasts
        case 10 where name.elementsEqual("extensions"): self = .extensions
        case 11 where name.elementsEqual("messageType"): self = .messageType
        case 11 where name.elementsEqual("use_webpush"): self = .useWebPush
        default: self = .unknown
        }
    }
}
