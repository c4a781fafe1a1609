import Testing

@testable import Topics

@Suite("How streams say it")
struct StreamFramingTests {
    private static let id = TopicMessageID(number: 7)

    private static func framed(_ message: TopicMessage, _ form: NtfyRoute.Stream) throws -> String {
        let topic = try #require(TopicName("a"))
        let placed = PlacedMessage(message, in: topic, at: 1)
        return String(decoding: form.message(placed), as: UTF8.self)
    }

    private static func message(_ kind: TopicMessage.Kind = .message) -> TopicMessage {
        var content = TopicContent()
        if kind == .message { content.text = "one\ntwo" }
        return TopicMessage(id: id, kind, time: 5, expires: 9, content)
    }

    @Test(
        "A message",
        arguments: [
            (
                .json,
                #"{"id":"AAAAAAAAAAAH","time":5,"expires":9,"event":"message","topic":"a","#
                    + #""message":"one\ntwo"}"# + "\n"
            ),
            (
                .sse,
                #"data: {"id":"AAAAAAAAAAAH","time":5,"expires":9,"event":"message","topic":"a","#
                    + #""message":"one\ntwo"}"# + "\n\n"
            ),
            (.raw, "one two\n"),
            (
                .webSocket,
                #"{"id":"AAAAAAAAAAAH","sequence_id":"AAAAAAAAAAAH","time":5,"expires":9,"#
                    + #""event":"message","topic":"a","message":"one\ntwo"}"#
            ),
        ] as [(NtfyRoute.Stream, String)])
    func message(_ form: NtfyRoute.Stream, _ text: String) throws {
        #expect(try Self.framed(Self.message(), form) == text)
    }

    @Test("What ends a message is a message for readers of events, and an empty line for people")
    func endings() throws {
        for kind in [TopicMessage.Kind.delete, .clear] {
            let event = try Self.framed(Self.message(kind), .sse)
            #expect(event.hasPrefix("data: ") && event.contains(#""event":"message_"#))
            #expect(try Self.framed(Self.message(kind), .raw) == "\n")
        }
        #expect(
            try Self.framed(Self.message(.poll), .sse).hasPrefix("event: poll_request\ndata: {"))
        #expect(try Self.framed(Self.message(.poll), .raw) == "\n")
    }

    @Test(
        "The events of the stream itself have a name, and the topics as the reader wrote them",
        arguments: [
            (
                .json,
                #"{"id":"AAAAAAAAAAAH","time":5,"event":"open","topic":"a,b"}"# + "\n"
            ),
            (
                .sse,
                "event: open\n"
                    + #"data: {"id":"AAAAAAAAAAAH","time":5,"event":"open","topic":"a,b"}"# + "\n\n"
            ),
            (.raw, "\n"),
            (.webSocket, #"{"id":"AAAAAAAAAAAH","time":5,"event":"open","topic":"a,b"}"#),
        ] as [(NtfyRoute.Stream, String)])
    func events(_ form: NtfyRoute.Stream, _ text: String) {
        let bytes = form.event(.open, Self.id, time: 5, topics: "a,b")
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        let alive = form.event(.keepalive, Self.id, time: 5, topics: "a,b")
        #expect(
            String(decoding: alive, as: UTF8.self)
                == text.replacing("open", with: "keepalive"))
    }

    @Test("Types have a charset, and silence is shorter than clients wait")
    func types() {
        for form in [NtfyRoute.Stream.json, .sse, .raw] {
            #expect(form.contentType.hasSuffix("; charset=utf-8"))
        }
        #expect(NtfyRoute.Stream.keepaliveSeconds == 45)
    }
}
