import Base

/// The updates of an `ack`, as positions in its frame.
package struct AcknowledgedUpdates: Sendable {
    private let start: Int
    /// A single version, as in most frames, is not parsed again.
    private let only: JSONText?

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
