/// A message that is known from a push only, until the client brings the real one.
package struct PushMessage: Equatable, Sendable {
    /// Which settings say how it is shown: those of its chat for messages or for stories, or none
    /// where it is about the account itself. Stored by number.
    package enum Subject: UInt8, Sendable {
        case message = 0
        case story = 1
        case account = 2
    }

    package var id: ChatMessageID
    package var sender: Sender
    package var senderName: String
    package var isOutgoing: Bool
    package var content: PushContent
    package var threadID: ChatMessageID = .none
    /// As what it came, whatever the settings made of it.
    var isMention = false
    var isPin = false
    var isScheduled = false
    var subject = Subject.message
    @Boxed package var presentation: Presentation?

    package init(
        id: ChatMessageID, sender: Sender, senderName: String, isOutgoing: Bool,
        content: PushContent
    ) {
        self.id = id
        self.sender = sender
        self.senderName = senderName
        self.isOutgoing = isOutgoing
        self.content = content
    }

    /// Says that there is something, and not whose it is.
    mutating func hidePoster(_ text: String) {
        senderName = ""
        content = PushContent(.text, text: text)
        presentation?.title = text
        presentation?.body = ""
        presentation?.icon = ""
        presentation?.data = ""
    }
}

/// A message that the client itself has loaded.
package struct StoredMessage: Equatable, Sendable {
    package let id: ChatMessageID
    /// TDLib's `message` object, as the client wrote it.
    package var source: [UInt8]
    /// The message that was pinned, if this says that one was.
    package var pinned = ChatMessageID.none
}
