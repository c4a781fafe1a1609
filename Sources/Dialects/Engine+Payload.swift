package import Notifications

extension Engine {
    /// Reads a payload in its dialect and applies what it means.
    package mutating func process(
        payload: [UInt8], dialect: Dialect, level: TrustLevel,
        templates: TelegramTemplates = .english, id: String = "", now: Double
    ) -> Outcome {
        process(
            events(of: payload, dialect, level, templates), level: level, id: id, now: now)
    }

    /// Nothing of the context may be left when the account changes, or all of it would be copied.
    private func events(
        of payload: [UInt8], _ dialect: Dialect, _ level: TrustLevel, _ templates: TelegramTemplates
    ) -> [Event] {
        dialect.events(payload, .of(account, level: level, templates: templates))
    }
}
