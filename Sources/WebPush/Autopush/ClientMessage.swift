import Base

/// A message of a user agent. Its frame must be kept as long as this value.
package enum ClientMessage: Sendable {
    case hello(Hello)
    /// Nil if the channel is not a UUID in the one allowed spelling.
    case register(ChannelID?, key: Key)
    case unregister(ChannelID)
    case acknowledgement(AcknowledgedUpdates)
    /// `nack`: a message could not be handled. It has no effect.
    case failureReport
    case ping
    case broadcastSubscription(BroadcastNames)
    case urgency(Urgency)

    package struct Hello: Sendable, Confidential {
        package let userAgent: UserAgentID?
        /// It says `"use_webpush": true`, like Firefox.
        package let usesWebPush: Bool
        package let extensions: AutopushExtensions
        package let broadcasts: BroadcastNames
    }

    /// The key that pushes to a channel have to be signed with.
    package enum Key: Equatable, Sendable {
        case absent
        case malformed
        /// The caller has to check that it is a point on the curve.
        case bytes([UInt8])
    }

    /// Reads the text of one message, which must be UTF-8.
    package init(_ payload: Span<UInt8>) throws(AutopushClosing) {
        if let updates = AcknowledgedUpdates(usual: payload) {
            self = .acknowledgement(updates)
            return
        }
        do {
            self = try ClientMessageReader.message(payload)
        } catch {
            throw .badMessage
        }
    }
}

/// Extensions to Firefox's protocol that a client asks for.
package struct AutopushExtensions: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Each adds a member to notifications.
    package static let ttl = Self(rawValue: 1)
    package static let topic = Self(rawValue: 2)
    package static let urgency = Self(rawValue: 4)
    /// Announces that a delivered message no longer needs to be shown.
    package static let withdrawn = Self(rawValue: 8)

    static let words: [(Self, StaticString)] = [
        (ttl, "ttl"), (topic, "topic"), (urgency, "urgency"), (withdrawn, "withdrawn"),
    ]

    /// Unknown words are ignored.
    init(_ word: Span<UInt8>) {
        self = Self.words.first { word.elementsEqual($0.1) }?.0 ?? []
    }
}

/// The updates of an `ack`, as positions in its frame.
package struct AcknowledgedUpdates: Sendable {
    private let start: Int
    /// A single version, as in most frames, is not parsed again.
    private let only: JSONText?

    private static let opening: StaticString =
        #"{"messageType":"ack","updates":[{"channelID":"#
    private static let middle: StaticString = #","version":"#
    private static let ending: StaticString = #","code":100}]}"#

    /// One message, in the words in which Firefox and our own desktop acknowledge it. Most frames are
    /// such; nil for any other, of which nothing is known then.
    init?(usual payload: Span<UInt8>) {
        guard payload.has(Self.opening, at: 0) else { return nil }
        var cursor = JSONCursor(at: Self.opening.utf8CodeUnitCount)
        guard (try? cursor.string(in: payload)) != nil,
            payload.has(Self.middle, at: cursor.position)
        else { return nil }
        cursor = JSONCursor(at: cursor.position + Self.middle.utf8CodeUnitCount)
        guard let version = try? cursor.string(in: payload),
            payload.extracting(cursor.position..<payload.count).elementsEqual(Self.ending)
        else { return nil }
        // Its only version is all that anybody asks for.
        (start, only) = (payload.count, version)
    }

    /// Reads the updates and leaves the cursor after them.
    init(reading payload: Span<UInt8>, _ cursor: inout JSONCursor) throws(JSONCursor.Invalid) {
        start = cursor.position
        var count = 0
        var last: JSONText?
        try Self.read(payload, &cursor) { version in
            count += 1
            last = version
        }
        only = count == 1 ? last : nil
    }

    /// Calls `body` for each version that is a valid message id, in order. `payload` is the frame.
    package func forEach(in payload: Span<UInt8>, _ body: (MessageID) -> Void) {
        if let only {
            if let id = only.withValue(in: payload, { MessageID(text: $0) }) { body(id) }
            return
        }
        var cursor = JSONCursor(at: start)
        // It was read before, so this cannot throw now.
        try? Self.read(payload, &cursor) { version in
            if let id = version.withValue(in: payload, { MessageID(text: $0) }) { body(id) }
        }
    }

    /// Calls `body` for each version. All three codes mean that the client has handled it.
    static func read(
        _ payload: Span<UInt8>, _ cursor: inout JSONCursor, _ body: (JSONText) -> Void
    ) throws(JSONCursor.Invalid) {
        try cursor.beginArray(in: payload)
        while try cursor.nextElement(in: payload) {
            var version: JSONText?
            var hasChannel = false
            try cursor.beginObject(in: payload)
            while let name = try cursor.nextName(in: payload) {
                switch name.withValue(in: payload, { ClientMember($0) }) {
                case .version: version = try cursor.string(in: payload)
                case .channelID:
                    _ = try cursor.string(in: payload)
                    hasChannel = true
                case .code: try cursor.code(in: payload)
                default: try cursor.skipValue(in: payload)
                }
            }
            guard let version, hasChannel else { throw JSONCursor.Invalid() }
            body(version)
        }
    }
}

extension Span<UInt8> {
    fileprivate func has(_ text: StaticString, at start: Int) -> Bool {
        let end = start + text.utf8CodeUnitCount
        return end <= count && extracting(start..<end).elementsEqual(text)
    }
}

/// The broadcasts that a client asked for, as positions in its frame.
///
/// This service has none, and says so for each.
package struct BroadcastNames: Sendable {
    private let start: Int?

    init(at start: Int? = nil) { self.start = start }

    /// Appends `{}`, or every name with an error that there is no such broadcast.
    func appendAnswer(_ payload: Span<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        forEach(in: payload) { name in
            output.append(contentsOf: isFirst ? #""errors":{""# : #",""#)
            // The client's own string, escapes included.
            output.append(contentsOf: payload.extracting(name))
            output.append(contentsOf: #"":"Broadcast not found""#)
            isFirst = false
        }
        output.append(contentsOf: isFirst ? "}" : "}}")
    }

    package func isEmpty(in payload: Span<UInt8>) -> Bool {
        var isEmpty = true
        forEach(in: payload) { _ in isEmpty = false }
        return isEmpty
    }

    private func forEach(in payload: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        guard let start else { return }
        var cursor = JSONCursor(at: start)
        do throws(JSONCursor.Invalid) {
            try cursor.beginObject(in: payload)
            while let name = try cursor.nextName(in: payload) {
                body(name.range)
                try cursor.skipValue(in: payload)
            }
        } catch {
            // It was read before, so this cannot happen.
        }
    }
}
