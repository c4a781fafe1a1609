import Base

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

/// The payload's data for the application that opens it, as `Presentation.data` stores it.
enum PayloadData {
    typealias Member = (name: String, value: JSONNode?)

    /// An object of the payload. Empty for anything else, and if it is too large or nested too
    /// deeply.
    static func text(_ node: JSONNode?) -> String {
        guard let node, node.kind == .object, node.source.count <= Presentation.dataLimit,
            !node.isTooNested
        else { return "" }
        return text { $0.value(node) }
    }

    /// An object of the members that exist; of several members with one name, only the first.
    static func text(_ members: [Member]) -> String {
        var names: Set<String> = []
        let members = members.filter { $0.value != nil && names.insert($0.name).inserted }
        let size = members.reduce(0) { $0 + ($1.value?.source.count ?? 0) }
        guard !members.isEmpty, size <= Presentation.dataLimit,
            !members.contains(where: { $0.value?.isTooNested == true })
        else { return "" }
        return text { writer in
            writer.object { writer in
                for case (let name, let value?) in members {
                    writer.name(text: name)
                    writer.value(value)
                }
            }
        }
    }

    private static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return writer.count <= Presentation.dataLimit ? writer.text : ""
    }
}

extension JSONNode {
    /// Its members, except those with the given names.
    func members(without names: Set<String>) -> [PayloadData.Member] {
        members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) }
    }
}
