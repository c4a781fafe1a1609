/// The state of an account's source: when it may ring, and how it looks.
package struct SourceState: Equatable, Sendable {
    /// Which of a source's messages ring. It is stored as its number.
    package enum NotifyMode: UInt8, Sendable, CaseIterable {
        case disabled = 0
        case sendOnlyOne = 1
        case sendOnePerConversation = 2
        case applePushNotification = 3

        /// Ignores case: ICQ itself writes `Disabled` and `disabled`.
        package init?(name: String) {
            let mode = Self.allCases.first { "\($0)".lowercased() == name.lowercased() }
            guard let mode else { return nil }
            self = mode
        }
    }

    package var notifyMode = NotifyMode.applePushNotification
    /// Seconds without any activity until the session ends; nil for never.
    package var sessionTimeout: Int32?
    package var presentation = SourcePresentation()
    package var lastActivity: Double = 0
    /// Nothing rings until then, because another client of the account is in use.
    package var pausedUntil: Double = 0
    /// Nothing rings until then, because the user asked for quiet.
    package var quietUntil: Double = 0
    package var sessionEnded = false
    /// Others see the user as using a mobile client.
    package var isMobile = true
    /// Conversations that have rung already; the empty key stands for the whole source.
    package var rung: Set<String> = []

    package init() {}

    func isPaused(at now: Double) -> Bool { now < max(pausedUntil, quietUntil) }

    static let rungLimit = 10_000

    /// Whether the source limits which messages ring, or can be offline.
    package var isSelective: Bool {
        notifyMode != .applePushNotification || sessionTimeout != nil
    }
}
