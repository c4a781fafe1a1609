/// What a payload says, independent of its dialect.
package enum Event: Equatable, Sendable {
    /// It is indirect because it is large and passed around often.
    indirect case message(IncomingMessage)
    case deleted(ChatReference, [ChatMessageID])
    /// A deleted message, in dialects that name messages by text.
    case retracted(name: String, order: Int64?)
    /// The same, but a later message with this name is new.
    case ended(name: String, order: Int64?)
    case read(ChatReference, upTo: ChatMessageID)
    case announcement(id: Int64, text: String)
    case call(IncomingCall)
    case badge(unread: Int64?, missedCalls: Int64?)
    /// The number of unread messages; what is shown stays.
    case unread(Int64)
    case dcUpdate(dc: Int32, address: String)
    case liveLocationsNeeded
    /// The session was ended. The dates are those of its payload, which may be an old one sent
    /// again.
    case sessionRevoked(dates: [Int64])
    case fetchRequired(reason: String, details: [Update.Detail])
    /// Nothing to do, and not an error.
    case ignored
    case refused(code: Int, message: String)
}

/// The chat that an event is about.
package enum ChatReference: Hashable, Sendable {
    case id(ChatID)
    /// The name of a conversation, in dialects that identify conversations by text.
    case conversation(String)
}

/// What a message does to an earlier one with the same name.
package enum Replacement: Sendable {
    /// Both stay, and the newer one takes over the name.
    case beside
    /// The text changes in place, without a sound.
    case inPlace
    /// The older one is removed, and the newer one appears like any other.
    case anew
}

/// A message as a push describes it.
package struct IncomingMessage: Equatable, Sendable {
    package var chat: ChatReference
    package var messageID: ChatMessageID
    package var content: PushContent
    package var chatTitle = ""
    package var isGroup = false
    package var sender: Sender?
    package var senderName = ""
    /// Seconds since 1970, one for each date in the payload. The last plausible one counts.
    package var dates: [Int64] = []
    package var editDate: Int64?
    package var isMention = false
    package var isPinned = false
    package var isScheduled = false
    package var isSilent = false
    /// A post of a channel.
    package var isBroadcast = false
    package var subject = PushMessage.Subject.message
    /// Shown for a story when its author must not be named.
    package var anonymousText = ""
    /// 0 for none, -1 for the application's default.
    package var soundID: Int64 = -1
    package var threadID = ChatMessageID.none
    @Boxed package var presentation: Presentation?
    /// The name by which a later payload can replace or retract it.
    package var name = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// Identifies repeated payloads about the same message; empty if they cannot be recognised.
    package var dedupeKey = ""

    package init(chat: ChatReference, messageID: ChatMessageID = .none, content: PushContent) {
        self.chat = chat
        self.messageID = messageID
        self.content = content
    }
}

/// A call as a push describes it.
package struct IncomingCall: Equatable, Sendable {
    package enum Stage: Sendable { case requested, declined, missed }

    package var chat: ChatReference
    package var stage: Stage
    package var callerName: String
    package var isGroup = false
    package var isSilent = false
    /// Shown when the call is missed.
    package var missedText: String
    package var name = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// Given to the application that answers; see `Presentation.data`.
    package var data = ""
    /// The server's own identifier of the call, if the payload has one.
    package var ownID = ""

    package init(
        chat: ChatReference, stage: Stage, callerName: String, missedText: String,
        name: String = ""
    ) {
        self.chat = chat
        self.stage = stage
        self.callerName = callerName
        self.missedText = missedText
        self.name = name
    }
}
