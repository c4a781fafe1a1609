import Base
import Notifications

/// A service whose JSON is understood at any topic.
///
/// A topic takes any body as text. So only a body is read as a service's that has everything by which
/// its JSON is known from that of others.
package enum KnownService: CaseIterable, Sendable {
    case alertmanager, grafana, github, uptimeKuma, homeAssistant, slack, discord, gotify

    /// What is longer is a file.
    private static let bodyLimit = 1 << 20

    /// Nil unless the body is declared as JSON and certainly of one of the services. `event` is what
    /// a header field says about the event of a repository.
    package static func read(
        _ body: [UInt8], contentType: String, event: String = ""
    ) -> TopicContent? {
        let type = Array(contentType.utf8)
        guard MediaType.isOf(type.span, "application/json"), body.count <= bodyLimit,
            let root = JSONNode(json: body), root.kind == .object,
            let service = allCases.first(where: { $0.isMarked(root, event) })
        else { return nil }
        return service.content(of: root, body, event: event)
    }

    /// The members that its JSON has, with their kinds.
    private var marks: [(name: StaticString, kinds: Set<JSONDocument.Kind>)] {
        switch self {
        case .alertmanager:
            // Grafana sends the same, and more.
            [
                ("alerts", [.array]), ("groupKey", [.string]), ("receiver", [.string]),
                ("status", [.string]), ("version", [.string]),
            ]
        case .grafana:
            [("ruleId", [.number]), ("ruleName", [.string]), ("state", [.string])]
        case .github: [("repository", [.object])]
        case .uptimeKuma:
            [("heartbeat", [.object, .null]), ("monitor", [.object, .null]), ("msg", [.string])]
        case .homeAssistant: [("message", [.string]), ("data", [.object])]
        case .gotify: [("message", [.string]), ("title", [.string]), ("priority", [.number])]
        case .slack, .discord: []
        }
    }

    private func isMarked(_ root: JSONNode, _ event: String) -> Bool {
        let hasMarks = marks.allSatisfy { mark in
            root[mark.name].map { mark.kinds.contains($0.kind) } == true
        }
        guard hasMarks else { return false }
        switch self {
        case .alertmanager, .grafana, .uptimeKuma: return true
        case .github: return !event.isEmpty
        case .homeAssistant: return HomeAssistantDialect.isMarked(root)
        case .slack: return SlackMessage.isMarked(root)
        case .discord: return DiscordMessage.isMarked(root)
        case .gotify: return root.hasOnly(Self.gotifyMembers)
        }
    }

    private static let gotifyMembers: Set = [
        "message", "title", "priority", "extras", "appid", "id", "date",
    ]

    /// Nil for what the service does not send.
    func content(of root: JSONNode, _ body: [UInt8], event: String) -> TopicContent? {
        switch self {
        case .alertmanager: return alerts(root, body)
        case .grafana: return alerts(root, body) ?? titled(root)
        case .github:
            guard !event.isEmpty || root["repository"]?.kind == .object else { return nil }
            return shown(body, event) ?? repositoryNews(root, event)
        case .uptimeKuma: return shown(body) ?? monitorIsUp(root)
        case .homeAssistant: return shown(body) ?? cleared(root)
        case .slack: return SlackMessage.content(of: root)
        case .discord: return DiscordMessage.content(of: root)
        // What Gotify would refuse stays text.
        case .gotify: return try? TopicContent(GotifyFields(root), defaultPriority: 0)
        }
    }

    /// The service that pushes in this dialect; nil if it is none's.
    init?(_ dialect: Dialect) {
        guard dialect.isOfService,
            let service = Self.allCases.first(where: { $0.dialect == dialect })
        else { return nil }
        self = service
    }

    private var dialect: Dialect {
        switch self {
        case .alertmanager: .alertmanager
        case .grafana: .grafana
        case .github: .github
        case .uptimeKuma: .uptimeKuma
        case .homeAssistant: .homeAssistant
        case .slack, .discord, .gotify: .plain
        }
    }

    /// What its dialect shows; nil if it shows nothing, but takes something back.
    private func shown(_ body: [UInt8], _ event: String = "") -> TopicContent? {
        var fields = SenderFields()
        fields.record(Array("x-github-event".utf8).span, Array(event.utf8).span)
        // The dialects of services accept every body.
        guard let payload = try? dialect.payload(of: body, &fields) else { return nil }
        return TopicContent(dialect.events(payload, DialectContext()))
    }
}

extension JSONNode {
    /// Its members have no other names.
    func hasOnly(_ names: Set<String>) -> Bool { members.allSatisfy { names.contains($0.name) } }
}

/// Messages of services that say something is over. A notification on the screen would be taken back,
/// but who reads a topic wants to know.
extension KnownService {
    private static let isOver = "white_check_mark"

    private func alerts(_ root: JSONNode, _ body: [UInt8]) -> TopicContent? {
        guard root["alerts"]?.elements.isEmpty == false || root.has("ruleId") else { return nil }
        let firing = shown(body)
        let resolved = TopicContent(AlertsDialect.resolved(root))
        guard var content = firing ?? resolved else {
            guard let name = root["title"]?.text ?? root["ruleName"]?.text else { return nil }
            return over("Resolved: \(name)", root["message"]?.text ?? "")
        }
        if firing == nil {
            content.title = "Resolved: \(content.title)"
            (content.tags, content.priority) = ([Self.isOver], 0)
        } else if let resolved {
            content.text += "\n\nResolved: \(resolved.title)\n\(resolved.text)"
        }
        return content
    }

    /// What Grafana says beside its alerts, which are not in each of its messages.
    private func titled(_ root: JSONNode) -> TopicContent? {
        guard root["status"]?.text != nil, let title = root["title"]?.text,
            let text = root["message"]?.text
        else { return nil }
        if root["status"]?.text == "resolved" { return over(title, text) }
        var content = TopicContent()
        (content.title, content.text) = (title, text)
        return content
    }

    private func over(_ title: String, _ text: String) -> TopicContent {
        var content = TopicContent()
        (content.title, content.text, content.tags) = (title, text, [Self.isOver])
        return content
    }

    private func monitorIsUp(_ root: JSONNode) -> TopicContent {
        let name = root["monitor"]?["name"]?.text ?? "Uptime Kuma"
        return over("\(name) is up", root["heartbeat"]?["msg"]?.text ?? root["msg"]?.text ?? "")
    }

    private func cleared(_ root: JSONNode) -> TopicContent {
        var content = TopicContent()
        content.text = "Cleared: \(root["data"]?["tag"]?.textOrNumber ?? "")"
        content.priority = 1
        return content
    }

    /// What happens in a repository and has no notification.
    private func repositoryNews(_ root: JSONNode, _ event: String) -> TopicContent {
        var content = TopicContent()
        content.title = root["repository"]?["full_name"]?.text ?? ""
        let words = [root["sender"]?["login"]?.text ?? "", event, root["action"]?.text ?? ""]
        let line = words.filter { !$0.isEmpty }.joined(separator: " ")
        content.text = line.replacing(each: "_", by: " ")
        content.priority = 2
        return content
    }
}

extension TopicContent {
    /// The messages that a dialect shows, as one; nil if there are none.
    init?(_ events: [Event]) {
        var messages: [(message: IncomingMessage, look: Presentation)] = []
        for case .message(let message) in events {
            if let look = message.presentation { messages.append((message, look)) }
        }
        guard let (first, look) = messages.first else { return nil }
        self.init()
        if messages.count == 1 {
            (title, text, tags) = (look.title, look.body, look.tags)
        } else {
            title = "\(first.chatTitle) (\(messages.count))"
            text = messages.map { "\($0.look.title): \($0.look.body)" }.joined(separator: "\n")
        }
        click = look.link
        icon = look.icon.hasPrefix("https://") ? look.icon : ""
        priority = messages.map { Self.level($0.look.urgency) }.max() ?? 0
        if priority == 3 { priority = 0 }
        actions = look.actions.filter { !$0.link.isEmpty }.prefix(TopicAction.most).map { button in
            var action = TopicAction()
            (action.label, action.url) = (button.label, button.link)
            return action
        }
    }

    private static func level(_ urgency: Presentation.Urgency) -> UInt8 {
        switch urgency {
        case .low: 2
        case .normal: 3
        case .high: 4
        case .critical: 5
        }
    }
}
