import Base

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
