/// One entry of the list that the user sees.
package struct Notification: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case newMessage(StoredMessage, showsPreview: Bool)
        /// Apart, so that lists of notifications move few bytes.
        indirect case newPushMessage(PushMessage)
        case newSecretChat
        /// `ownID`: by which its server knows it, where that is another one.
        case newCall(id: Int32, ownID: String)
    }

    package typealias ID = Int32

    package let id: ID
    package var date: Int64
    package var isSilent: Bool
    package var content: Content
    /// How it came, at its best: nothing weaker may change it.
    package var level: TrustLevel
    /// It came in clear, at an endpoint whose clear pushes somebody trusts.
    package var isTrusted = false
    /// Under what a later payload may replace or retract it; empty for none.
    package var name: String = ""

    /// The user may do with it what it offers. Other notifications may be from anybody, and can only
    /// be dismissed.
    package var mayAct: Bool { level > .clear || isTrusted }

    /// The message it is about.
    package var messageID: ChatMessageID {
        switch content {
        case .newMessage(let message, _): message.id
        case .newPushMessage(let message): message.id
        case .newSecretChat: .none
        case .newCall: ChatMessageID(.max)
        }
    }

    /// Says itself whom it is from.
    var hasTitle: Bool {
        guard case .newPushMessage(let message) = content else { return false }
        return !message.senderName.isEmpty || message.presentation?.title.isEmpty == false
    }

    var isCall: Bool {
        if case .newCall = content { return true }
        return false
    }

    /// Known from a push only; gives way to the real message.
    package var isTemporary: Bool {
        if case .newPushMessage = content { return true }
        return false
    }
}
