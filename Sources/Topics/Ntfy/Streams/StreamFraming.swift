/// How messages and events stand in the answer of a stream. On a WebSocket each of them is a frame.
extension NtfyRoute.Stream {
    /// Empty for a WebSocket. Some clients refuse a type without a charset.
    package var contentType: String {
        switch self {
        case .json: "application/x-ndjson; charset=utf-8"
        case .sse: "text/event-stream; charset=utf-8"
        case .raw: "text/plain; charset=utf-8"
        case .webSocket: ""
        }
    }

    /// How often a stream that is silent says that it lives; a WebSocket does so by a ping. Android's
    /// client takes a connection for dead after 77 seconds.
    package static let keepaliveSeconds: Int64 = 45

    /// The head of a replay that lacks something.
    package static let truncationField: (name: StaticString, value: StaticString) = (
        "X-Messages-Truncated", "1"
    )

    package func message(_ placed: PlacedMessage) -> [UInt8] {
        let message = placed.message
        switch self {
        case .raw:
            let text = message.kind == .message ? message.content.text : ""
            return text.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 } + [0x0A]
        case .json, .sse, .webSocket:
            let json = NtfyJSON.message(
                message, topic: placed.topic, isOnWebSocket: self == .webSocket)
            // What has a name does not reach those who wait for messages.
            return line(json, name: message.kind == .poll ? message.kind.event : nil)
        }
    }

    /// `id` is a new one, and `topics` are the names as they stand in the path.
    package func event(
        _ event: NtfyJSON.StreamEvent, _ id: TopicMessageID, time: Int64, topics: String
    ) -> [UInt8] {
        guard self != .raw else { return [0x0A] }
        return line(
            NtfyJSON.event(event, id, time: time, topics: topics), name: event.rawValue)
    }

    private func line(_ json: [UInt8], name: String?) -> [UInt8] {
        switch self {
        case .sse:
            Array((name.map { "event: \($0)\n" } ?? "").utf8) + "data: ".utf8 + json + "\n\n".utf8
        case .json, .raw: json + [0x0A]
        case .webSocket: json
        }
    }
}
