package import Notifications

/// What a dialect has to know about the account besides the payload.
package struct DialectContext {
    package var policy: ChatPolicy
    package var accountID: Int64
    package var level: TrustLevel
    /// In clear, but from somebody who is trusted.
    package var isTrusted = false
    /// The title of a chat as far as it is known, else empty.
    package var chatTitle: (ChatID) -> String
    /// What the registration says where a payload leaves it open.
    package var presentation: SourcePresentation
    package var templates: TelegramTemplates
    /// When it came, in seconds since 1970.
    package var now: Double = 0

    /// What came may have actions.
    var mayAct: Bool { level > .clear || isTrusted }

    package init(
        policy: ChatPolicy = .learn, accountID: Int64 = 0, level: TrustLevel = .webpush,
        chatTitle: @escaping (ChatID) -> String = { _ in "" },
        presentation: SourcePresentation = SourcePresentation(),
        templates: TelegramTemplates = .english
    ) {
        self.policy = policy
        self.accountID = accountID
        self.level = level
        self.chatTitle = chatTitle
        self.presentation = presentation
        self.templates = templates
    }

    /// The context of an account as it stands.
    package static func of(
        _ account: Account, level: TrustLevel, templates: TelegramTemplates
    ) -> DialectContext {
        let chats = account.chats
        return DialectContext(
            policy: account.policy, accountID: account.userID, level: level,
            chatTitle: { id in chats[id]?.title ?? "" },
            presentation: account.source.presentation, templates: templates)
    }
}
