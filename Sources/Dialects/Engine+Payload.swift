package import Notifications

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
