package import Notifications

extension Engine {
    /// Reads a payload in its dialect and applies what it means.
    package mutating func process(
        payload: [UInt8], dialect: Dialect, level: TrustLevel, id: String? = nil, now: Double
    ) -> Outcome {
        let events = dialect.events(payload, DialectContext(account, level: level))
        return process(events, level: level, id: id, now: now)
    }
}
