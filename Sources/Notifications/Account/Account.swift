package import Base

/// Everything about one account that is stored.
package struct Account: Equatable, Sendable, Confidential {
    package var userID: Int64 = 0
    package var policy = ChatPolicy.learn
    package var lastNotificationID: Notification.ID = 0
    package var lastGroupID: NotificationGroup.ID = 0
    /// After `drop_notification_ids`, the next start counts from 1 again.
    var forgetsNotificationID = false
    var forgetsGroupID = false
    /// Groups that were made for calls, and that no call uses at the moment.
    package var freeCallGroups: [NotificationGroup.ID] = []
    package var callGroupCount = 0
    package var options: [String: OptionValue] = [:]
    package var scopes = [ScopeNotificationSettings](
        repeating: ScopeNotificationSettings(),
        count: ScopeNotificationSettings.Scope.allCases.count)
    package var chats: [ChatID: Chat] = [:]
    package var groups = GroupTable()
    /// When each announcement was shown. Entries are dropped after a week.
    package var announcements: [Int64: Int64] = [:]
    /// The chats of dialects that identify a conversation by text.
    package var conversations: [String: ChatID] = [:]
    package var lastConversation: Int64 = 0
    /// Notifications that a later payload may replace or retract.
    package var names: [String: NamedNotification] = [:]
    package var calls: [Int32: RingingCall] = [:]
    package var lastCallID: Int32 = 0
    package var source = SourceState()
    package var devices: [Int32: RegisteredDevice] = [:]
    package var recentPushes = RecentPushes()
    /// Nil until a payload has set it.
    package internal(set) var badge: Badge?
    package var owed = Owed()
    var reactions = ReactionNotificationSettings()
    var recentMessages = RecentMessages()

    package init() {}

    package var groupCountMax: Int {
        min(max(integer(OptionName.groupCountMax, default: 0), 0), 25)
    }
    package var groupSizeMax: Int { min(max(integer(OptionName.groupSizeMax, default: 10), 1), 25) }

    func integer(_ name: String, default value: Int) -> Int {
        if case .integer(let value) = options[name] { Int(clamping: value) } else { value }
    }

    func boolean(_ name: String) -> Bool { options[name] == .boolean(true) }
}

/// The whole account as bytes, for storing and for starting again.
extension Account {
    /// The first byte.
    private static let version: UInt8 = 1

    package enum StateError: Error, Equatable {
        case unknownVersion(UInt8)
        case damaged
    }

    /// The same account gives the same bytes each time.
    package var state: [UInt8] {
        var coder = Coder()
        var (version, account) = (Self.version, self)
        coder.byte(&version)
        account.code(&coder)
        return coder.written
    }

    package init(state bytes: [UInt8]) throws(StateError) {
        guard var version = bytes.first else { throw .damaged }
        guard version == Self.version else { throw .unknownVersion(version) }
        var coder = Coder(reading: bytes)
        coder.byte(&version)
        self.init()
        code(&coder)
        guard coder.isWhole else { throw .damaged }
    }

    private mutating func code(_ coder: inout Coder) {
        coder.number(&userID)
        var isLearning = policy == .learn
        coder.flag(&isLearning)
        policy = isLearning ? .learn : .strict
        coder.counter(&lastNotificationID)
        coder.counter(&lastGroupID)
        coder.counter(&lastCallID)
        coder.counter(&lastConversation)
        coder.counter(&callGroupCount)
        coder.list(&freeCallGroups)
        coder.list(&scopes)
        coder.require(scopes.count == ScopeNotificationSettings.Scope.allCases.count)
        coder.map(&options)
        coder.require(options.allSatisfy { OptionName.allows($0.value, of: $0.key) })
        coder.map(&chats)
        groups.code(&coder)
        coder.flag(&forgetsNotificationID)
        coder.flag(&forgetsGroupID)
        codeMemory(&coder)
        source.code(&coder)
        coder.optional(&badge)
        owed.code(&coder)
        reactions.code(&coder)
        recentMessages.code(&coder)
    }

    /// What is remembered so that nothing is applied twice.
    private mutating func codeMemory(_ coder: inout Coder) {
        coder.map(&announcements)
        coder.require(announcements.values.allSatisfy(\.isDate))
        coder.map(&conversations)
        coder.map(&names)
        coder.map(&calls)
        coder.map(&devices)
        coder.require(devices.allSatisfy { $0.key == $0.value.tokenType })
        recentPushes.code(&coder)
    }
}

/// The number of unread messages and missed calls, as the source counted them last.
package struct Badge: Equatable, Sendable {
    package var unread: Int64
    package var missedCalls: Int64?

    init(unread: Int64, missedCalls: Int64?) {
        self.unread = unread
        self.missedCalls = missedCalls
    }
}

extension Badge: Coded {
    package static var blank: Badge { Badge(unread: 0, missedCalls: nil) }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&unread)
        coder.optional(&missedCalls)
    }
}
