import Base

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
