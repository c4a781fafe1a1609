import Base
package import Notifications

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
