import Base

/// Who sends, and when it may ring.
package struct SourceState: Equatable, Sendable {
    /// Which of a source's messages ring. Stored by number.
    package enum NotifyMode: UInt8, Sendable, CaseIterable {
        case disabled = 0
        case sendOnlyOne = 1
        case sendOnePerConversation = 2
        case applePushNotification = 3

        /// In any capitals: ICQ itself writes `Disabled` and `disabled`.
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
    /// Another client of the account is in use until then: nothing rings.
    package var pausedUntil: Double = 0
    /// The user wants quiet until then.
    package var quietUntil: Double = 0
    package var sessionEnded = false
    /// Others are told that the user is there by a mobile client.
    package var isMobile = true
    /// Conversations that have rung already; the empty key stands for the whole source.
    package var rung: Set<String> = []

    package init() {}

    /// Nothing makes a noise.
    func isPaused(at now: Double) -> Bool { now < max(pausedUntil, quietUntil) }

    static let rungLimit = 10_000

    /// Whether it says itself what rings, or that it is not there.
    package var isSelective: Bool {
        notifyMode != .applePushNotification || sessionTimeout != nil
    }
}
