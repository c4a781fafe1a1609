import Base

/// The payload formats of applications and services. A new one has a case here and a row below.
///
/// Their numbers are in journals, so none ever changes.
package enum Dialect: UInt8, CaseIterable, Sendable {
    case auto = 0
    case telegram, matrix, icq, zpns, declarative, plain
    case alertmanager, grafana, github, uptimeKuma, homeAssistant
    /// What this server writes of the messages of a topic. No sender's payload is read so.
    case topic

    private var row: Row {
        switch self {
        case .auto: Row("auto", AutomaticDialect.events)
        case .telegram: Row("telegram", TelegramDialect.events)
        case .matrix:
            Row("matrix", apps: ["matrix", "element"], isClear: true, MatrixDialect.events)
        case .icq: Row("icq", apps: ["icq"], isClear: true, ICQDialect.events)
        case .zpns: Row("zpns", apps: ["zpns", "zego"], isClear: true, ZPNsDialect.events)
        case .declarative: Row("declarative", apps: ["declarative"], DeclarativeDialect.events)
        case .plain: Row("plain", apps: ["plain"], isClear: true, PlainDialect.events)
        case .alertmanager:
            Row("alertmanager", webhook: AlertsDialect.alertmanager, AlertsDialect.events)
        case .grafana: Row("grafana", webhook: AlertsDialect.grafana, AlertsDialect.events)
        case .github: Row("github", webhook: GitHubDialect.webhook, GitHubDialect.events)
        case .uptimeKuma:
            Row("uptime-kuma", webhook: UptimeKumaDialect.webhook, UptimeKumaDialect.events)
        case .homeAssistant:
            Row(
                "home-assistant", webhook: HomeAssistantDialect.webhook,
                HomeAssistantDialect.events)
        case .topic: Row("topic", PlainDialect.eventsOfTopic)
        }
    }

    /// What is known of one dialect.
    private struct Row {
        let word: String
        /// Words in the names of the applications that push it.
        let apps: [String]
        /// Its payloads usually come unencrypted.
        let isClear: Bool
        /// Of a service that pushes JSON of its own.
        let webhook: Webhook?
        let events: ([UInt8], DialectContext) -> [Event]

        init(
            _ word: String, apps: [String] = [], isClear: Bool = false, webhook: Webhook? = nil,
            _ events: @escaping ([UInt8], DialectContext) -> [Event]
        ) {
            (self.word, self.apps, self.isClear) = (word, apps, isClear || webhook != nil)
            (self.webhook, self.events) = (webhook, events)
        }
    }

    /// Its name in requests, and in what is stored of them.
    package var word: String { row.word }

    /// Its payloads usually come unencrypted.
    package var isClear: Bool { row.isClear }

    /// It is that of a service.
    package var isOfService: Bool { row.webhook != nil }

    package static let ofServices = allCases.filter(\.isOfService)

    /// The dialect with that name that others may use. Several services may write one.
    package init?(word: String) {
        let named = Self.allCases.first { dialect in
            let row = dialect.row
            return row.word == word || row.webhook?.sources.contains { $0.key == word } == true
        }
        guard let named, named != .topic else { return nil }
        self = named
    }

    /// The dialect of an application with that name; nil if the name says nothing.
    package init?(app: String) {
        let app = app.lowercased()
        let known = Self.allCases.first { $0.row.apps.contains { app.place(of: $0) != nil } }
        guard let known else { return nil }
        self = known
    }

    /// The services that can be given an address, by the words for them.
    package static let sources = ofServices.flatMap { dialect in
        (dialect.row.webhook?.sources ?? [:]).map { Source(word: $0, advice: $1, dialect: dialect) }
    }

    package struct Source: Sendable {
        package let word: String
        /// Where its user puts the address.
        package let advice: String
        package let dialect: Dialect
    }

    /// Reads a payload. Any bytes are accepted: at worst they are shown as text.
    package func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        row.events(payload, context)
    }

    /// The payload of an unencrypted request in the form that `events` reads. Header fields are not
    /// stored, so what they say becomes part of it, or is added to what they ignore. The body of a
    /// webhook is cut to the size of a push.
    package func payload(
        of body: [UInt8], _ fields: inout SenderFields
    ) throws(PlainDialect.Refusal) -> [UInt8] {
        if let webhook = row.webhook { return webhook.payload(of: body, fields) }
        guard self == .plain else { return body }
        // A service that pushes to an address for scripts says nothing in fields that are refused.
        if fields.objection == nil, let service = Self.service(of: body, fields),
            let webhook = service.row.webhook
        {
            guard service == .homeAssistant else {
                fields.ignoreAll()
                return webhook.payload(of: body, fields)
            }
            let body = try PlainDialect.payload(body, &fields)
            let payload = webhook.payload(of: body, fields)
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
}

/// Chooses the dialect by the members of the payload, for sources that do not name theirs.
package enum AutomaticDialect {
    static func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        dialect(of: payload).events(payload, context)
    }

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
    /// gets `name`, and replaces the former one; any other keeps it as its origin. It also gets
    /// `picture`.
    package mutating func process(
        payload: [UInt8], dialect: Dialect, level: TrustLevel, isTrusted: Bool = false,
        templates: TelegramTemplates = .english, id: String = "", name: String = "",
        picture: String = "", now: Double
    ) -> Outcome {
        var events = events(of: payload, dialect, level, isTrusted, templates, now)
        // A payload that is several messages has no single successor.
        let isAlone = events.count == 1
        for index in events.indices {
            guard case .message(var message) = events[index] else { continue }
            if isAlone, !name.isEmpty, message.name.isEmpty {
                message.name = name
                if message.replacement == .beside { message.replacement = .anew }
            } else {
                message.origin = name
            }
            if isAlone, !picture.isEmpty { message.presentation?.picture = picture }
            events[index] = .message(message)
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

/// Services that are known by what they push, also where something else is expected.
extension Dialect {
    /// The service whose JSON this certainly is. GitHub's has its event in a header field, or, once it
    /// was stored, in itself.
    package static func service(
        of payload: [UInt8], _ fields: SenderFields = SenderFields()
    ) -> Dialect? {
        if !fields.event.isEmpty, FormBody.json(payload) != nil { return .github }
        guard let first = payload.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{"),
            mentionsService(payload.span), let root = PlainDialect.object(payload)
        else { return nil }
        // Where several are sure, the first of the list counts.
        return ofServices.first { $0.row.webhook?.isSurely(root, fields) == true }
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

    private static let serviceMembers = ofServices.flatMap { $0.row.webhook?.marks ?? [] }

    /// The most bytes of a payload that was cut.
    package static let cutLimit = 5_630
}
