/// Where the user has seen messages: TDLib's `MessageSource`.
enum MessageSource: String, CaseIterable, Sendable {
    case chatHistory, messageThreadHistory, forumTopicHistory, directMessagesChatTopicHistory
    case historyPreview, chatList, search, chatEventLog, notification, screenshot, other

    static let typeNames = allCases.map(\.typeName)

    init?(named typeName: String) {
        guard let source = Self.allCases.first(where: { $0.typeName == typeName }) else {
            return nil
        }
        self = source
    }

    private var typeName: String {
        "messageSource" + rawValue.prefix(1).uppercased() + rawValue.dropFirst()
    }

    /// A topic has its own position of reading, so the chat's stays.
    var isTopic: Bool {
        [.messageThreadHistory, .forumTopicHistory, .directMessagesChatTopicHistory].contains(self)
    }

    /// Advertisements appear among a chat's messages only.
    var showsSponsored: Bool { isTopic || [.chatHistory, .historyPreview, .other].contains(self) }
}
