import Base

/// The payload formats of applications.
package enum Dialect: String, CaseIterable, Sendable {
    case auto, telegram, matrix, icq, zpns, declarative, plain
    case alertmanager, grafana, github
    case uptimeKuma = "uptime-kuma"
    case homeAssistant = "home-assistant"

    /// Reads a payload. Any bytes are accepted: at worst they are shown as text.
    package func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        switch self {
        case .auto: AutomaticDialect.dialect(of: payload).events(payload, context)
        case .telegram: telegramEvents(payload, context)
        case .matrix: MatrixDialect.events(payload, context)
        case .icq: ICQDialect.events(payload, context)
        case .zpns: ZPNsDialect.events(payload, context)
        case .declarative: DeclarativeDialect.events(payload, context)
        case .plain: PlainDialect.events(payload, context)
        case .alertmanager, .grafana: AlertsDialect.events(payload, context)
        case .github: GitHubDialect.events(payload, context)
        case .uptimeKuma: UptimeKumaDialect.events(payload, context)
        case .homeAssistant: HomeAssistantDialect.events(payload, context)
        }
    }

    /// The payload of an unencrypted request in the form that `events` reads. Header fields are not
    /// stored, so what they say becomes part of it, or is added to what they ignore. The body of a
    /// webhook is cut to the size of a push.
    package func payload(
        of body: [UInt8], _ fields: inout SenderFields
    ) throws(PlainDialect.Refusal) -> [UInt8] {
        if isOfService { return servicePayload(of: body, fields) }
        guard self == .plain else { return body }
        // A service that pushes to an address for scripts says nothing in fields that are refused.
        if fields.objection == nil, let service = Self.service(of: body, fields) {
            guard service == .homeAssistant else {
                fields.ignoreAll()
                return service.servicePayload(of: body, fields)
            }
            let body = try PlainDialect.payload(body, &fields)
            let payload = service.servicePayload(of: body, fields)
            if HomeAssistantDialect.hasLostPicture(payload, of: body) { fields.ignore("image") }
            return payload
        }
        return try PlainDialect.payload(body, &fields)
    }

    /// The dialect in which a push is read. What is not Telegram's at all is shown as text, like what
    /// the other dialects do not understand. What a known service pushes to an address for scripts is
    /// read as that service's.
    package func reader(of payload: [UInt8]) -> Dialect {
        switch self {
        case .telegram: TelegramDialect.isMarked(payload) ? self : .plain
        case .plain: Self.service(of: payload) ?? self
        default: self
        }
    }

    /// A payload in clear may show something, but nothing else.
    private func telegramEvents(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        let events = TelegramDialect.events(payload, context)
        guard context.level == .clear else { return events }
        return events.map { event in
            switch event {
            case .message, .refused, .ignored, .call: event
            default: .ignored
            }
        }
    }
}

/// Chooses the dialect by the members of the payload, for sources that do not name theirs.
package enum AutomaticDialect {
    package static func dialect(of payload: [UInt8]) -> Dialect {
        guard let root = try? JSONDocument(payload).root, root.kind == .object else {
            return .plain
        }
        if DeclarativeDialect.isMarked(root) { return .declarative }
        if root["notification"]?.kind == .object { return .matrix }
        if root["loc_key"] != nil || root["data"]?["loc_key"] != nil || root["p"] != nil {
            return .telegram
        }
        if ICQDialect.isMarked(root) { return .icq }
        if root["aps"] != nil || root["payload"] != nil || root["customId"] != nil { return .zpns }
        return .plain
    }
}

extension Engine {
    /// Reads a payload in its dialect and applies its events. A message without a name of its own
    /// gets `name`, and replaces the former one.
    package mutating func process(
        payload: [UInt8], dialect: Dialect, level: TrustLevel, isTrusted: Bool = false,
        templates: TelegramTemplates = .english, id: String = "", name: String = "", now: Double
    ) -> Outcome {
        var events = events(of: payload, dialect, level, isTrusted, templates, now)
        // A payload that is several messages has no single successor.
        if !name.isEmpty, events.count == 1, case .message(var message) = events[0],
            message.name.isEmpty
        {
            (message.name, message.replacement) = (name, .anew)
            events = [.message(message)]
        }
        return process(events, level: level, isTrusted: isTrusted, id: id, now: now)
    }

    /// The context must be gone before the account changes, or the whole account would be copied.
    private func events(
        of payload: [UInt8], _ dialect: Dialect, _ level: TrustLevel, _ isTrusted: Bool,
        _ templates: TelegramTemplates, _ now: Double
    ) -> [Event] {
        var context = DialectContext.of(account, level: level, templates: templates)
        (context.isTrusted, context.now) = (isTrusted, now)
        return dialect.events(payload, context)
    }
}

/// Dialects of services that push unencrypted JSON of their own.
extension Dialect {
    package static let ofServices: [Dialect] = [
        .alertmanager, .grafana, .github, .uptimeKuma, .homeAssistant,
    ]

    package var isOfService: Bool { Self.ofServices.contains(self) }

    /// The dialect with that name. Forgejo and Gitea write what GitHub writes.
    package init?(word: String) {
        switch word {
        case "forgejo", "gitea": self = .github
        default: self.init(rawValue: word)
        }
    }

    /// The service whose JSON this certainly is. GitHub's has its event in a header field, or, once it
    /// was stored, in itself.
    package static func service(
        of payload: [UInt8], _ fields: SenderFields = SenderFields()
    ) -> Dialect? {
        if !fields.event.isEmpty, FormBody.json(payload) != nil { return .github }
        guard let first = payload.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{"),
            mentionsService(payload.span), let root = PlainDialect.object(payload)
        else { return nil }
        let isGroup = root.has("groupKey") || root.has("receiver") || root.has("resolved")
        if root["alerts"]?.kind == .array, isGroup { return .alertmanager }
        if root.has("ruleId"), root.has("ruleName"), root.has("state") { return .grafana }
        if root.has("heartbeat"), root.has("monitor"), root.has("msg") { return .uptimeKuma }
        if root.has(GitHubDialect.eventMember)
            || !fields.event.isEmpty && root["repository"]?.kind == .object
        {
            return .github
        }
        return HomeAssistantDialect.isMarked(root) ? .homeAssistant : nil
    }

    /// Whether it may be the JSON of a service, which has one of these members. Most pushes have none
    /// of them, and are not read for it.
    private static func mentionsService(_ payload: Span<UInt8>) -> Bool {
        let quote = UInt8(ascii: "\"")
        for start in payload.indices where payload[start] == quote {
            for name in serviceMembers {
                let end = start + 1 + name.utf8CodeUnitCount
                if end < payload.count, payload[end] == quote,
                    payload.extracting(start + 1..<end).equalsIgnoringCase(name)
                {
                    return true
                }
            }
        }
        return false
    }

    private static let serviceMembers: [StaticString] = [
        "alerts", "ruleId", "heartbeat", GitHubDialect.eventMember, "repository", "data",
    ]

    /// The most bytes of a payload that was cut.
    package static let cutLimit = 5_630
    /// The most bytes that are shown of a payload which is no JSON.
    private static let textLimit = 4_096

    /// What is kept of the body of a webhook: all of it, or, if it is longer than a push, the members
    /// that its dialect reads, with their texts cut.
    func servicePayload(of body: [UInt8], _ fields: SenderFields) -> [UInt8] {
        let body = self == .github ? FormBody.json(body) ?? body : body
        let event = self == .github ? fields.event : ""
        guard !event.isEmpty || body.count > Self.cutLimit else { return body }
        guard let root = PlainDialect.object(body) else { return Self.text(of: body) }
        return (event.isEmpty ? cut(root) : named(event, root, body)) ?? Self.text(of: body)
    }

    private func cut(_ root: JSONNode) -> [UInt8]? {
        switch self {
        case .alertmanager, .grafana:
            root.has("alerts")
                ? AlertsDialect.cut(root, to: Self.cutLimit)
                : AlertsDialect.ruleCutter.cut(root, to: Self.cutLimit)
        case .uptimeKuma: UptimeKumaDialect.cutter.cut(root, to: Self.cutLimit)
        case .homeAssistant: HomeAssistantDialect.cutter.cut(root, to: Self.cutLimit)
        default: cutRepository(root, event: "")
        }
    }

    /// GitHub names the event only in a header field, so it is written into the payload.
    private func named(_ event: String, _ root: JSONNode, _ body: [UInt8]) -> [UInt8]? {
        guard body.count <= Self.cutLimit, !root.isTooNested else {
            return cutRepository(root, event: event)
        }
        var writer = JSONWriter(capacity: body.count + 64)
        writer.object { writer in
            writer.member(GitHubDialect.eventMember, event)
            for (name, value) in root.firstMembers where name != "\(GitHubDialect.eventMember)" {
                writer.name(text: name)
                writer.value(value)
            }
        }
        return writer.count <= Self.cutLimit ? writer.bytes : cutRepository(root, event: event)
    }

    private func cutRepository(_ root: JSONNode, event: String) -> [UInt8]? {
        let commits = root["commits"]?.elements.count ?? 0
        return GitHubDialect.cutter.cut(root, to: Self.cutLimit) { writer in
            if !event.isEmpty { writer.member(GitHubDialect.eventMember, event) }
            // Not all of them are kept.
            if commits > 1, !root.has("total_commits") { writer.member("total_commits", commits) }
        }
    }

    private static func text(of body: [UInt8]) -> [UInt8] {
        Array(NoteText.cut(String(decoding: body, as: UTF8.self), textLimit).utf8)
    }
}
