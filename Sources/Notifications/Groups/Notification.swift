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
