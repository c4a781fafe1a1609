package import Base

/// TDLib's chat identifier. Its range encodes the kind of chat.
package struct ChatID: Hashable, Comparable, Sendable {
    package enum Kind: Sendable { case user, basicGroup, channel, secret }

    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// An identifier from outside; nil if neither a server nor this program can have assigned it.
    package init?(named rawValue: Int64) {
        guard rawValue != 0, Self.given.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    package static func user(_ id: Int64) -> ChatID { ChatID(id) }
    package static func basicGroup(_ id: Int64) -> ChatID { ChatID(0 &- id) }
    package static func channel(_ id: Int64) -> ChatID { ChatID(-channelBase &- id) }
    package static func secretChat(_ id: Int32) -> ChatID { ChatID(-secretBase + Int64(id)) }

    /// Telegram's own notices come from this user.
    package static let serviceNotifications = ChatID(777_000)

    package var kind: Kind {
        switch rawValue {
        case 1...: .user
        case (-Self.channelBase + 1)...0: .basicGroup
        case (-Self.secretBase - Self.secretReach)...(-Self.secretBase + Self.secretReach): .secret
        default: .channel
        }
    }

    /// Telegram's limits for the identifiers of users and basic groups.
    package static let userLimit: Int64 = 1 << 40
    package static let basicGroupLimit: Int64 = 999_999_999_999
    /// Secret chats lie between users and channels; the direct messages of channels lie below.
    package static func isChannel(_ id: Int64) -> Bool {
        1...997_852_516_351 ~= id || 1_002_147_483_649...2_999_999_999_999 ~= id
    }

    /// The channel's own number, and the secret chat's.
    var channelNumber: Int64 { -Self.channelBase &- rawValue }
    var secretNumber: Int64 { rawValue &+ Self.secretBase }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether Telegram's server can have assigned it.
    static func isTelegrams(_ id: Int64) -> Bool {
        switch id {
        case 1...: id < userLimit
        case -basicGroupLimit..<0: true
        case 0, -channelBase, -secretBase: false
        default: id >= -channelBase - lastChannel
        }
    }

    private static let lastChannel: Int64 = 3_000_000_000_000
    private static let channelBase: Int64 = 1_000_000_000_000
    private static let secretBase: Int64 = 2_000_000_000_000
    private static let secretReach: Int64 = 1 << 31
    /// The range from the last channel up to our own identifiers for conversations, which lie above
    /// the users.
    private static let given: ClosedRange<Int64> = -3_999_999_999_999...(1 << 52)
}

/// A message's identifier in its chat: the server's number, shifted to leave room for local ones.
package struct ChatMessageID: Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// An identifier from outside; nil if no message can have it.
    package init?(named rawValue: Int64) {
        guard 1...Self.last.rawValue ~= rawValue else { return nil }
        self.rawValue = rawValue
    }

    package init(server: Int64) { rawValue = server << Self.shift }

    /// What an identifier names, by TDLib's rules.
    enum Form { case server, local, unsent, scheduled, sponsored }

    /// Nil if TDLib gives no such identifier.
    var form: Form? {
        let kind = rawValue & 7
        guard 1...(1 << 51) ~= rawValue else { return nil }
        if kind >= 4 { return kind < 7 ? .scheduled : nil }
        guard rawValue <= Int64(Int32.max) << Self.shift else {
            return kind == 2 ? .sponsored : nil
        }
        if isFromServer { return .server }
        switch kind {
        case 1: return .unsent
        case 2: return .local
        default: return nil
        }
    }

    package static let none = ChatMessageID(0)
    /// Servers count in 31 bits; local identifiers may follow the last one.
    static let last = ChatMessageID((1 << (31 + shift)) - 1)

    package var isNone: Bool { rawValue == 0 }

    /// Whether the server assigned it; others exist on one device only.
    package var isFromServer: Bool { rawValue & ((1 << Self.shift) - 1) == 0 }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static let shift = 20
}

extension ChatID: Coded {
    package static var blank: ChatID { ChatID(0) }

    package mutating func code(_ coder: inout Coder) {
        var number = rawValue
        coder.number(&number)
        self = ChatID(number)
    }
}

extension ChatMessageID: Coded {
    package static var blank: ChatMessageID { .none }

    package mutating func code(_ coder: inout Coder) {
        var number = rawValue
        coder.number(&number)
        self = ChatMessageID(number)
    }
}

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
