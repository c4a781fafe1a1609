/// What a payload means, whatever the dialect it was written in.
package enum Event: Equatable, Sendable {
    /// Apart, because it is large and goes from hand to hand.
    indirect case message(IncomingMessage)
    case deleted(ChatReference, [ChatMessageID])
    /// Deleted messages of dialects that name them by text.
    case retracted(name: String, order: Int64?)
    /// The same, and what comes later under the name is news.
    case ended(name: String, order: Int64?)
    case read(ChatReference, upTo: ChatMessageID)
    case announcement(id: Int64, text: String)
    case call(IncomingCall)
    case badge(unread: Int64?, missedCalls: Int64?)
    /// How much waits now; what is shown stays.
    case unread(Int64)
    case dcUpdate(dc: Int32, address: String)
    case liveLocationsNeeded
    /// With the dates of its payload: an old one may be somebody's copy.
    case sessionRevoked(dates: [Int64])
    case fetchRequired(reason: String, details: [Update.Detail])
    /// Nothing is to be done, and the sender shall hear that all is well.
    case ignored
    case refused(code: Int, message: String)
}

/// Where something happened.
package enum ChatReference: Hashable, Sendable {
    case id(ChatID)
    /// A conversation that its dialect names by text.
    case conversation(String)
}

/// What a message does to the one that has its name.
package enum Replacement: Sendable {
    /// Nothing: the newer has the name from now on, and the older stays.
    case beside
    /// Other words in its place, without a sound.
    case inPlace
    /// The older goes, and the newer comes as every message does.
    case anew
}

/// A message as a push tells it.
package struct IncomingMessage: Equatable, Sendable {
    package var chat: ChatReference
    package var messageID: ChatMessageID
    package var content: PushContent
    package var chatTitle = ""
    package var isGroup = false
    package var sender: Sender?
    package var senderName = ""
    /// Seconds since 1970, as often as the payload says them; the last one that can be true counts.
    package var dates: [Int64] = []
    package var editDate: Int64?
    package var isMention = false
    package var isPinned = false
    package var isScheduled = false
    package var isSilent = false
    /// A channel speaks to those who follow it.
    package var isBroadcast = false
    package var subject = PushMessage.Subject.message
    /// What is shown of a story where whose it is shall not be.
    package var anonymousText = ""
    /// 0 for none, -1 for the application's default.
    package var soundID: Int64 = -1
    package var threadID = ChatMessageID.none
    @Boxed package var presentation: Presentation?
    /// Under what a later payload may replace or retract it.
    package var name = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// What makes a second payload about the same thing recognisable; empty for nothing.
    package var dedupeKey = ""

    package init(chat: ChatReference, messageID: ChatMessageID = .none, content: PushContent) {
        self.chat = chat
        self.messageID = messageID
        self.content = content
    }
}

/// A call as a push tells it.
package struct IncomingCall: Equatable, Sendable {
    package enum Stage: Sendable { case requested, declined, missed }

    package var chat: ChatReference
    package var stage: Stage
    package var callerName: String
    package var isGroup = false
    /// What to show when nobody took it.
    package var missedText: String
    package var name = ""
    package var replacement = Replacement.beside
    package var order: Int64?
    /// What the application that answers is given, as `Presentation.data`.
    package var data = ""
    /// By which its server knows it, if the payload says so.
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
