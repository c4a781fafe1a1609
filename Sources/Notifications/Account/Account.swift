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
        var state = StateWriter()
        state.byte(Self.version)
        state.number(userID)
        state.byte(policy == .strict ? 0 : 1)
        state.number(lastNotificationID)
        state.number(lastGroupID)
        state.number(lastCallID)
        state.number(lastConversation)
        state.number(callGroupCount)
        state.list(freeCallGroups) { $0.number($1) }
        state.list(scopes) { $1.write(to: &$0) }
        state.list(options.sorted { $0.key < $1.key }) { state, option in
            state.text(option.key)
            option.value.write(to: &state)
        }
        state.list(chats.sorted { $0.key < $1.key }) { state, chat in
            state.number(chat.key.rawValue)
            chat.value.write(to: &state)
        }
        state.list(groups.all) { $1.write(to: &$0) }
        for flag in [forgetsNotificationID, forgetsGroupID] { state.flag(flag) }
        writeMemory(to: &state)
        source.write(to: &state)
        state.optional(badge) { $1.write(to: &$0) }
        owed.write(to: &state)
        reactions.write(to: &state)
        let marked = chats.filter { $0.value.marks != 0 }.sorted { $0.key < $1.key }
        state.list(marked) { state, chat in
            state.number(chat.key.rawValue)
            state.byte(chat.value.marks)
        }
        recentMessages.write(to: &state)
        return state.bytes
    }

    package init(state bytes: [UInt8]) throws(StateError) {
        guard let version = bytes.first else { throw .damaged }
        guard version == Self.version else { throw .unknownVersion(version) }
        var state = StateReader(bytes)
        do throws(StateReader.Damage) {
            _ = try state.byte()
            try self.init(from: &state)
        } catch { throw .damaged }
        guard state.isAtEnd else { throw .damaged }
    }

    private init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init()
        userID = try state.number()
        policy = try state.flag() ? .learn : .strict
        lastNotificationID = try state.counter()
        lastGroupID = try state.counter()
        lastCallID = try state.counter()
        lastConversation = try state.counter()
        callGroupCount = try state.counter()
        freeCallGroups = try state.list { state throws(StateReader.Damage) in
            try state.number()
        }
        scopes = try state.list { state throws(StateReader.Damage) in
            try ScopeNotificationSettings(from: &state)
        }
        guard scopes.count == ScopeNotificationSettings.Scope.allCases.count else {
            throw StateReader.Damage()
        }
        for _ in 0..<(try state.count()) {
            let name = try state.text()
            let value = try OptionValue(from: &state)
            if let range = OptionName.range(of: name) {
                guard case .integer(let number) = value, range.contains(number) else {
                    throw StateReader.Damage()
                }
            }
            options[name] = value
        }
        let chatCount = try state.count()
        chats.reserveCapacity(chatCount)
        for _ in 0..<chatCount { chats[ChatID(try state.number())] = try Chat(from: &state) }
        for _ in 0..<(try state.count()) {
            let group = try NotificationGroup(from: &state)
            guard group.id > 0 else { throw StateReader.Damage() }
            groups[group.id] = group
        }
        forgetsNotificationID = try state.flag()
        forgetsGroupID = try state.flag()
        try readMemory(from: &state)
        source = try SourceState(from: &state)
        badge = try state.optional { state throws(StateReader.Damage) in
            try Badge(from: &state)
        }
        owed = try Owed(from: &state)
        reactions = try ReactionNotificationSettings(from: &state)
        for _ in 0..<(try state.count()) {
            let id = ChatID(try state.number())
            guard let place = chats.index(forKey: id) else { throw StateReader.Damage() }
            chats.values[place].marks = try state.byte()
        }
        recentMessages = try RecentMessages(from: &state)
    }

    /// What is remembered so that nothing is applied twice.
    private func writeMemory(to state: inout StateWriter) {
        state.list(announcements.sorted { $0.key < $1.key }) { state, item in
            state.number(item.key)
            state.number(item.value)
        }
        state.list(conversations.sorted { $0.key < $1.key }) { state, item in
            state.text(item.key)
            state.number(item.value.rawValue)
        }
        state.list(names.sorted { $0.key < $1.key }) { state, item in
            state.text(item.key)
            item.value.write(to: &state)
        }
        state.list(calls.sorted { $0.key < $1.key }) { state, item in
            state.number(item.key)
            item.value.write(to: &state)
        }
        state.list(devices.sorted { $0.key < $1.key }) { $1.value.write(to: &$0) }
        state.list(recentPushes.inOrder) { state, push in
            state.text(push.id)
            state.byte(push.level.rawValue)
        }
    }

    private mutating func readMemory(from state: inout StateReader) throws(StateReader.Damage) {
        for _ in 0..<(try state.count()) { announcements[try state.number()] = try state.date() }
        for _ in 0..<(try state.count()) {
            conversations[try state.text()] = ChatID(try state.number())
        }
        for _ in 0..<(try state.count()) {
            names[try state.text()] = try NamedNotification(from: &state)
        }
        for _ in 0..<(try state.count()) {
            calls[try state.number()] = try RingingCall(from: &state)
        }
        for _ in 0..<(try state.count()) {
            let device = try RegisteredDevice(from: &state)
            devices[device.tokenType] = device
        }
        recentPushes = RecentPushes(
            try state.list { state throws(StateReader.Damage) in
                (try state.text(), try state.choice())
            })
    }
}

/// The number of unread messages and missed calls, as the source counted them last.
package struct Badge: Equatable, Sendable {
    package var unread: Int64
    package var missedCalls: Int64?

    func write(to state: inout StateWriter) {
        state.number(unread)
        state.optional(missedCalls) { $0.number($1) }
    }

    init(unread: Int64, missedCalls: Int64?) {
        self.unread = unread
        self.missedCalls = missedCalls
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        unread = try state.number()
        missedCalls = try state.optional { state throws(StateReader.Damage) in
            try state.number()
        }
    }
}
