package import Notifications

/// What a dialect needs to know besides the payload.
package struct DialectContext {
    package var policy: ChatPolicy
    package var accountID: Int64
    package var level: TrustLevel
    /// It came in clear, but from a trusted sender.
    package var isTrusted = false
    /// The title of a chat; empty if it is not known.
    package var chatTitle: (ChatID) -> String
    /// What the user calls the account; empty if its application has names of its own.
    package var accountTitle = ""
    /// The registration's defaults.
    package var presentation: SourcePresentation
    package var templates: TelegramTemplates
    /// When the push arrived, in seconds since 1970.
    package var now: Double = 0

    /// Whether the notification may have actions.
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

    package static func of(
        _ account: Account, level: TrustLevel, templates: TelegramTemplates
    ) -> DialectContext {
        let chats = account.chats
        var context = DialectContext(
            policy: account.policy, accountID: account.userID, level: level,
            chatTitle: { id in chats[id]?.title ?? "" },
            presentation: account.source.presentation, templates: templates)
        if case .string(let title)? = account.options[OptionName.title] {
            context.accountTitle = title
        }
        return context
    }
}
