/// One entry of the list that the user sees.
package struct Notification: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case newMessage(StoredMessage, showsPreview: Bool)
        /// It is indirect, so that lists of notifications stay small.
        indirect case newPushMessage(PushMessage)
        case newSecretChat
        /// `ownID` is the server's own identifier, if it differs.
        case newCall(id: Int32, ownID: String)
    }

    package typealias ID = Int32

    package let id: ID
    package var date: Int64
    package var isSilent: Bool
    package var content: Content
    /// The highest trust level it has had; only payloads at this level or above may change it.
    package var level: TrustLevel
    /// It came in clear, but at an endpoint whose clear pushes are trusted.
    package var isTrusted = false
    /// The name by which a later payload can replace or retract it; empty for none.
    package var name: String = ""

    /// Whether its actions may be used. Otherwise it may be from anybody and can only be dismissed.
    package var mayAct: Bool { level > .clear || isTrusted }

    package var messageID: ChatMessageID {
        switch content {
        case .newMessage(let message, _): message.id
        case .newPushMessage(let message): message.id
        case .newSecretChat: .none
        case .newCall: ChatMessageID(.max)
        }
    }

    /// Whether it names its sender itself.
    var hasTitle: Bool {
        guard case .newPushMessage(let message) = content else { return false }
        return !message.senderName.isEmpty || message.presentation?.title.isEmpty == false
    }

    var isCall: Bool {
        if case .newCall = content { return true }
        return false
    }

    /// It is known only from a push; the real message replaces it.
    package var isTemporary: Bool {
        if case .newPushMessage = content { return true }
        return false
    }
}

/// Where the notification of a name is, or the record of its retraction.
package struct NamedNotification: Equatable, Sendable {
    package var groupID: NotificationGroup.ID
    /// 0 if the name was retracted before a message arrived.
    package var notificationID: Notification.ID
    /// The sender's sequence number, if it gives one: older messages are ignored.
    package var order: Int64?
    package var date: Int64
    /// The highest trust level that the name has had, or that of its retraction.
    package var level: TrustLevel

    var isTombstone: Bool { notificationID == 0 }

    /// How long a retraction is remembered if its message has not arrived, in seconds.
    static let tombstoneLife: Int64 = 600
}

extension Notification {
    func write(to state: inout StateWriter) {
        state.number(id)
        state.number(date)
        state.flag(isSilent)
        state.byte(level.rawValue)
        state.flag(isTrusted)
        state.text(name)
        switch content {
        case .newMessage(let message, let showsPreview):
            state.byte(0)
            message.write(to: &state)
            state.flag(showsPreview)
        case .newPushMessage(let message):
            state.byte(1)
            message.write(to: &state)
        case .newSecretChat: state.byte(2)
        case .newCall(let id, let ownID):
            state.byte(3)
            state.number(id)
            state.text(ownID)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        id = try state.number()
        date = try state.date()
        isSilent = try state.flag()
        level = try state.choice()
        isTrusted = try state.flag()
        name = try state.text()
        switch try state.byte() {
        case 0:
            let message = try StoredMessage(from: &state)
            content = .newMessage(message, showsPreview: try state.flag())
        case 1: content = .newPushMessage(try PushMessage(from: &state))
        case 2: content = .newSecretChat
        case 3:
            content = .newCall(id: try state.number(), ownID: try state.text())
        default: throw StateReader.Damage()
        }
    }
}

extension StoredMessage {
    func write(to state: inout StateWriter) {
        state.number(id.rawValue)
        state.data(source)
        state.number(pinned.rawValue)
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        id = ChatMessageID(try state.number())
        source = try state.json()
        pinned = ChatMessageID(try state.number())
    }
}

extension PushMessage {
    fileprivate func write(to state: inout StateWriter) {
        state.number(id.rawValue)
        switch sender {
        case .user(let id):
            state.byte(0)
            state.number(id)
        case .chat(let id):
            state.byte(1)
            state.number(id.rawValue)
        }
        state.text(senderName)
        state.flag(isOutgoing)
        state.byte(content.kind.rawValue)
        state.text(content.text)
        state.number(content.number)
        state.number(content.secondNumber)
        state.unsigned(UInt64(content.flags.rawValue))
        state.number(threadID.rawValue)
        for flag in [isMention, isPin, isScheduled] { state.flag(flag) }
        state.byte(subject.rawValue)
        state.optional(presentation) { state, value in value.write(to: &state) }
    }

    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        id = ChatMessageID(try state.number())
        sender =
            try state.byte() == 0
            ? .user(try state.number()) : .chat(ChatID(try state.number()))
        senderName = try state.text()
        isOutgoing = try state.flag()
        content = PushContent(
            try state.choice(), text: try state.text(), number: try state.number(),
            secondNumber: try state.number(),
            flags: PushContent.Flags(rawValue: UInt16(truncatingIfNeeded: try state.unsigned())))
        threadID = ChatMessageID(try state.number())
        isMention = try state.flag()
        isPin = try state.flag()
        isScheduled = try state.flag()
        subject = try state.choice()
        presentation = try state.optional { state throws(StateReader.Damage) in
            try Presentation(from: &state)
        }
    }
}

extension Presentation {
    fileprivate func write(to state: inout StateWriter) {
        for text in [title, body, sound, icon, link, language, direction, defaultAction] {
            state.text(text)
        }
        // Two flags, as before there was a level between.
        state.flag(urgency.rawValue & 1 != 0)
        state.flag(urgency.rawValue & 2 != 0)
        state.text(data)
        state.list(tags) { $0.text($1) }
        state.list(actions) { state, action in
            state.text(action.name)
            state.text(action.label)
            state.text(action.link)
        }
    }

    fileprivate init(from state: inout StateReader) throws(StateReader.Damage) {
        self.init(title: try state.text(), body: try state.text())
        sound = try state.text()
        icon = try state.text()
        link = try state.text()
        language = try state.text()
        direction = try state.text()
        defaultAction = try state.text()
        let (first, second) = (try state.flag(), try state.flag())
        urgency = first ? (second ? .high : .critical) : second ? .low : .normal
        data = try state.jsonOrEmpty()
        tags = try state.list { state throws(StateReader.Damage) in try state.text() }
        actions = try state.list { state throws(StateReader.Damage) in
            Action(name: try state.text(), label: try state.text(), link: try state.text())
        }
    }
}
