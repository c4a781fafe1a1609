/// What the user chose, for the application to do.
package struct ChosenAction: Equatable, Sendable {
    package var id: Int64 = 0
    package var chatID: ChatID
    /// None for a call.
    package var messageID: ChatMessageID
    package var action: String
    /// Of a reply.
    package var text: String?
    /// What the payload carries for whoever opens it: the text of a JSON object, or empty.
    package var data = ""
    /// By which its server knows the call, or else the engine.
    package var callID = ""
    /// When it was chosen; seconds since 1970.
    package var date: Int64 = 0
    /// The program that is to hear of it, by its name on the session bus; empty for none.
    package var service = ""
    /// By which it may come to the front; not kept.
    package var activationToken = ""

    package init(chatID: ChatID, messageID: ChatMessageID, action: String, text: String? = nil) {
        self.chatID = chatID
        self.messageID = messageID
        self.action = action
        self.text = text
    }

    var size: Int {
        action.utf8.count + (text?.utf8.count ?? 0) + data.utf8.count + callID.utf8.count
    }
}

/// The actions that every notification of a kind has; others are named by its payload.
enum NotificationAction {
    /// The notification itself was chosen.
    static let open = "default"
    static let reply = "reply"
    static let markRead = "mark_read"
    static let accept = "accept"
    static let decline = "decline"
}

/// A payload as it came, for an application that reads it itself.
package struct RawPush: Equatable, Sendable {
    package var id: Int64 = 0
    package let payload: [UInt8]
    /// The content coding it came in, or `clear`.
    package let encoding: String
    /// Seconds since 1970.
    package let received: Int64

    package init(payload: [UInt8], encoding: String, received: Int64) {
        self.payload = payload
        self.encoding = encoding
        self.received = received
    }
}
