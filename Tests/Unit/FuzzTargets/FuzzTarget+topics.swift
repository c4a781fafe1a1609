import Base
import Topics

/// What senders publish to topics. Whatever is accepted must be readable for everybody.
extension FuzzTarget {
    private static let now: Int64 = 1_800_000_000

    /// The query in the first line, then header fields up to an empty line, then the body.
    static func readPublication(_ bytes: [UInt8]) {
        let request = WrittenRequest(bytes)
        var fields = NtfyFields()
        request.eachField { fields.record($0, $1) }
        fields.record(query: request.first.span)
        publish(fields, request.body)
        if let topic = TopicName("upabcdefghijkl") { fields.record(topic: topic) }
        publish(fields, request.body)
    }

    /// The query in the first line, then the JSON.
    static func readPublishedJSON(_ bytes: [UInt8]) {
        let (query, body) = parts(of: bytes)
        var fields = NtfyFields()
        fields.record(query: query.span)
        guard let json = try? fields.record(json: body) else { return }
        precondition(!json.topic.isReserved, "a reserved name")
        publish(fields, json.text)
    }

    private static func publish(_ fields: NtfyFields, _ body: [UInt8]) {
        for (mayUpload, isRaw) in [(true, false), (false, true)] {
            let circumstances = Publication.Circumstances(
                now: now, mayUpload: mayUpload, isRaw: isRaw
            ) { $0 == "Nowhere" ? nil : .utc }
            guard let publication = try? Publication(fields, body, circumstances) else { continue }
            precondition(mayUpload || publication.upload == nil, "a file of a stranger")
            if let due = publication.due {
                let delay = due - now
                precondition(TopicDelay.shortest...TopicDelay.longest ~= delay, "a wrong time")
            }
            check(publication.message(TopicMessageID(number: 1), now: now, keptFor: 60))
        }
    }

    /// What is stored is read as it was, and readers of both kinds get JSON.
    static func check(_ message: TopicMessage) {
        let content = message.content
        precondition(!content.text.isEmpty, "nothing to read")
        precondition(content.title.utf8.count <= Publication.titleLimit, "a long title")
        precondition(content.actions.count <= TopicAction.most, "too many buttons")
        precondition(TopicContent.decoded(content.coded) == content, "stored otherwise")
        guard let topic = TopicName("t") else { return }
        let placed = PlacedMessage(message, in: topic, at: 1)
        for form in [NtfyRoute.Stream.json, .raw, .sse, .webSocket] {
            let bytes = form.message(placed)
            let lines = bytes.count { $0 == UInt8(ascii: "\n") }
            // An event of its own has its name in a line.
            let usual = form == .sse ? (message.kind == .poll ? 3 : 2) : form == .webSocket ? 0 : 1
            precondition(lines == usual, "cut in the middle")
        }
        isJSON(NtfyJSON.message(message, topic: topic))
        isJSON(message.plainPayload)
        if let own = GotifyMessage(message, id: 1, application: 1, named: "t") { isJSON(own.json) }
    }

    static func isJSON(_ bytes: [UInt8]) {
        precondition((try? JSONDocument(bytes)) != nil, "no JSON")
    }

    /// What stands before the first line break, and what stands behind it.
    static func parts(of bytes: [UInt8]) -> (line: [UInt8], rest: [UInt8]) {
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        return (Array(bytes[..<end]), Array(bytes[end...].dropFirst()))
    }
}

/// The parts of what is published.
extension FuzzTarget {
    /// Templates of title and priority, each in a line, that of the text up to an empty line, and
    /// then the JSON.
    static func readTemplate(_ bytes: [UInt8]) {
        let (title, rest) = parts(of: bytes)
        let (priority, last) = parts(of: rest)
        let (message, body) = WrittenRequest.halves(of: last)
        let texts = [message, title, priority].map { String(decoding: $0, as: UTF8.self) }
        let template = try? MessageTemplate(
            message: texts[0], title: texts[1], priority: texts[2])
        guard let content = try? template?.apply(body: body) else { return }
        precondition(content.text.utf8.count <= 4_096, "a long text")
        precondition(TopicContent.decoded(content.coded) == content, "stored otherwise")
    }

    /// Buttons in both forms. What was read is written as JSON, and means the same again.
    static func readActions(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let actions = try? ActionReader.actions(text) else { return }
        precondition(actions.count <= TopicAction.most, "too many")
        let objects = actions.map { String(decoding: $0.json, as: UTF8.self) }
        let json = "[" + objects.joined(separator: ",") + "]"
        guard json.utf8.count < 8_192 else { return }
        precondition((try? ActionReader.actions(json)) == actions, "read otherwise")
    }

    /// A delay in two zones.
    static func readDelay(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let change = TimeZoneRule.Transition(from: now + 3_600, offset: 7_200)
        for zone in [.utc, TimeZoneRule(first: -43_200, [change])] {
            guard let due = try? TopicDelay.due(text, zone: zone, now: now) else { continue }
            let delay = due - now
            precondition(TopicDelay.shortest...TopicDelay.longest ~= delay, "a wrong time")
        }
    }

    static func readZoneFile(_ bytes: [UInt8]) {
        guard let zone = TimeZoneRule(file: bytes) else { return }
        for moment in [0, now, now + 200 * 86_400, 40_000_000_000] {
            precondition(abs(zone.offset(at: moment)) < 1 << 33, "far away")
            _ = zone.seconds(local: moment)
            _ = try? TopicDelay.due("tomorrow, 9am", zone: zone, now: moment)
        }
    }

    /// The event of a repository, then the JSON of a service.
    static func readService(_ bytes: [UInt8]) {
        let (event, body) = parts(of: bytes)
        let word = String(decoding: event, as: UTF8.self)
        let known = KnownService.read(body, contentType: "application/json", event: word)
        let named = ["github", "grafana", "alertmanager"].map { name in
            try? MessageTemplate(named: name).apply(body: body, event: word)
        }
        for content in [known] + named {
            guard let content else { continue }
            precondition(TopicContent.decoded(content.coded) == content, "stored otherwise")
            isJSON(TopicMessage(id: TopicMessageID(number: 1), time: 0, content).plainPayload)
        }
    }

    /// The type of a body in the first line, then what is sent to a webhook.
    static func readHook(_ bytes: [UInt8]) {
        let (line, body) = parts(of: bytes)
        let type = String(decoding: line, as: UTF8.self)
        for form in [HookRoute.Form.slack, .discord, .github] {
            let sent = try? HookMessage(form, type: type, body, event: "push", mayUpload: true)
            guard let sent else { continue }
            let message = sent.publication.message(
                TopicMessageID(number: 1), now: now, keptFor: 60)
            check(message)
            isJSON(message.discordJSON(webhook: 1, named: "t"))
        }
    }
}

/// A request as a target reads it: a line, header fields up to an empty line, and a body.
struct WrittenRequest {
    let first: [UInt8]
    private let fields: [ArraySlice<UInt8>]
    let body: [UInt8]

    init(_ bytes: [UInt8]) {
        let (head, body) = Self.halves(of: bytes)
        let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        first = lines.first.map(Array.init) ?? []
        fields = Array(lines.dropFirst())
        self.body = body
    }

    func eachField(_ record: (Span<UInt8>, Span<UInt8>) -> Void) {
        for field in fields {
            let name = Array(field.prefix { $0 != UInt8(ascii: ":") })
            let value = Array(field.dropFirst(name.count + 1).drop { $0 == UInt8(ascii: " ") })
            record(name.span, value.span)
        }
    }

    /// What stands before the first empty line, and what stands behind it.
    static func halves(of bytes: [UInt8]) -> (head: [UInt8], rest: [UInt8]) {
        let pair = bytes.indices.dropLast().first { bytes[$0] == 10 && bytes[$0 + 1] == 10 }
        guard let pair else { return (bytes, []) }
        return (Array(bytes[..<pair]), Array(bytes[(pair + 2)...]))
    }
}
