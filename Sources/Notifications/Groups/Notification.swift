package import Base

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

    package private(set) var id: ID
    package var date: Int64
    package var isSilent: Bool
    package var content: Content
    /// The highest trust level it has had; only payloads at this level or above may change it.
    package var level: TrustLevel
    /// It came in clear, but at an endpoint whose clear pushes are trusted.
    package var isTrusted = false
    /// The name by which a later payload can replace or retract it; empty for none.
    package var name: String = ""
    /// What the host calls the push that it shows; empty if that is its name.
    package var origin: String = ""

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

extension Notification: Coded {
    package static var blank: Notification {
        Notification(id: 0, date: 0, isSilent: false, content: .newSecretChat, level: .clear)
    }

    package mutating func code(_ coder: inout Coder) {
        coder.number(&id)
        coder.date(&date)
        coder.flag(&isSilent)
        coder.choice(&level)
        coder.flag(&isTrusted)
        coder.text(&name)
        coder.text(&origin)
        coder.kind(&content, content.number, Content.blank)
        switch content {
        case .newMessage(var message, var showsPreview):
            message.code(&coder)
            coder.flag(&showsPreview)
            content = .newMessage(message, showsPreview: showsPreview)
        case .newPushMessage(let message):
            // It is in a box, which need not be made anew for writing.
            let read = coder.coded(message)
            if coder.isReading { content = .newPushMessage(read) }
        case .newSecretChat: break
        case .newCall(let id, let ownID):
            content = .newCall(id: coder.coded(id), ownID: coder.coded(ownID))
        }
    }
}

extension Notification.Content {
    fileprivate static func blank(_ number: UInt8) -> Self? {
        switch number {
        case 0: .newMessage(.blank, showsPreview: false)
        case 1: .newPushMessage(.blank)
        case 2: .newSecretChat
        case 3: .newCall(id: 0, ownID: "")
        default: nil
        }
    }

    fileprivate var number: UInt8 {
        switch self {
        case .newMessage: 0
        case .newPushMessage: 1
        case .newSecretChat: 2
        case .newCall: 3
        }
    }
}

extension StoredMessage: Coded {
    package static var blank: StoredMessage { StoredMessage(id: .none, source: []) }

    package mutating func code(_ coder: inout Coder) {
        id.code(&coder)
        coder.json(&source)
        pinned.code(&coder)
    }
}

extension PushMessage: Coded {
    package static var blank: PushMessage {
        PushMessage(
            id: .none, sender: .user(0), senderName: "", isOutgoing: false, content: .blank)
    }

    package mutating func code(_ coder: inout Coder) {
        id.code(&coder)
        sender.code(&coder)
        coder.text(&senderName)
        coder.flag(&isOutgoing)
        content.code(&coder)
        threadID.code(&coder)
        coder.flag(&isMention)
        coder.flag(&isPin)
        coder.flag(&isScheduled)
        coder.choice(&subject)
        $presentation.code(&coder)
    }
}

extension Sender: Coded {
    package static var blank: Sender { .user(0) }

    package mutating func code(_ coder: inout Coder) {
        var isChat = if case .chat = self { true } else { false }
        var id =
            switch self {
            case .user(let id): id
            case .chat(let id): id.rawValue
            }
        coder.flag(&isChat)
        coder.number(&id)
        self = isChat ? .chat(ChatID(id)) : .user(id)
    }
}

extension PushContent: Coded {
    package static var blank: PushContent { PushContent(.hidden) }

    package mutating func code(_ coder: inout Coder) {
        coder.choice(&kind)
        coder.text(&text)
        coder.number(&number)
        coder.number(&secondNumber)
        var flags = flags.rawValue
        coder.number(&flags)
        self.flags = Flags(rawValue: flags)
    }
}

extension Presentation: Coded {
    package static var blank: Presentation { Presentation() }

    package mutating func code(_ coder: inout Coder) {
        coder.text(&title)
        coder.text(&body)
        coder.text(&sound)
        coder.text(&icon)
        coder.text(&picture)
        coder.text(&link)
        coder.text(&language)
        coder.text(&direction)
        coder.text(&defaultAction)
        coder.choice(&urgency)
        coder.jsonOrEmpty(&data)
        coder.list(&tags)
        coder.list(&actions)
        coder.flag(&isMarkdown)
    }
}
