/// An action that the user chose, for the application to carry out.
package struct ChosenAction: Equatable, Sendable {
    package var id: Int64 = 0
    package var chatID: ChatID
    /// None for a call.
    package var messageID: ChatMessageID
    package var action: String
    /// The text of a reply.
    package var text: String?
    /// The payload's data for the application: the text of a JSON object, or empty.
    package var data = ""
    /// The server's identifier of the call, or else the engine's.
    package var callID = ""
    /// When it was chosen; seconds since 1970.
    package var date: Int64 = 0
    /// The session bus name of the program that gets it; empty for none.
    package var service = ""
    /// Lets its window come to the front; not stored.
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

/// The fixed actions of notifications; payloads may add others.
enum NotificationAction {
    /// A click on the notification itself.
    static let open = "default"
    static let reply = "reply"
    static let markRead = "mark_read"
    static let accept = "accept"
    static let decline = "decline"
}

/// A payload as received, for an application that reads it itself.
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
