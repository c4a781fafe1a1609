package import Notifications

/// How the payloads of an application are written.
package enum Dialect: String, CaseIterable, Sendable {
    case auto, telegram, matrix, icq, zpns, declarative, plain

    /// What a payload means. Any bytes are taken: at worst they are shown as text.
    package func events(_ payload: [UInt8], _ context: DialectContext) -> [Event] {
        switch self {
        case .telegram: TelegramDialect.events(payload, context)
        default: []
        }
    }
}
