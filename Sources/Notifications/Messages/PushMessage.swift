package import Base

/// A message known only from a push, until the client loads the real one.
package struct PushMessage: Equatable, Sendable {
    /// Which settings apply: its chat's for messages or for stories, or none if it is about the
    /// account itself. It is stored as its number.
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
    /// Whether the push called it a mention, whatever the settings made of that.
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

    /// Keeps the notice, but not who posted it.
    mutating func hidePoster(_ text: String) {
        senderName = ""
        content = PushContent(.text, text: text)
        presentation?.title = text
        presentation?.body = ""
        presentation?.icon = ""
        presentation?.picture = ""
        presentation?.data = ""
    }
}

/// A message that the client itself has loaded.
package struct StoredMessage: Equatable, Sendable {
    package internal(set) var id: ChatMessageID
    /// TDLib's `message` object, as the client wrote it.
    package var source: [UInt8]
    /// The pinned message, if this one announces a pin.
    package var pinned = ChatMessageID.none
}

/// The sender of a message: a person, or a chat.
package enum Sender: Equatable, Sendable {
    case user(Int64)
    case chat(ChatID)

    /// The private chat with the person, or the chat itself.
    var chatID: ChatID {
        switch self {
        case .user(let id): .user(id)
        case .chat(let id): id
        }
    }
}

/// A message that the client has loaded, with what the engine needs of it.
package struct LoadedMessage: Equatable, Sendable {
    package var chatID: ChatID
    package var id: ChatMessageID
    package var date: Int64
    package var sender: Sender?
    package var isOutgoing = false
    package var isMention = false
    package var isPin = false
    /// The message that was pinned.
    package var pinned = ChatMessageID.none
    package var isSilent = false
    /// A change of title, photo or members.
    package var isQuietChange = false
    /// TDLib's `message` object.
    package var source: [UInt8]

    var stored: StoredMessage { StoredMessage(id: id, source: source, pinned: pinned) }
}

/// Keeps a large, rarely used value outside its owner, so that the owner stays cheap to copy.
@propertyWrapper
package struct Boxed<Value: Equatable & Sendable>: Equatable, Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    package init(wrappedValue: Value?) { box = wrappedValue.map { Box($0) } }

    package var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
    }

    /// The box itself, to pass on without copying the value.
    package var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.box === right.box || left.wrappedValue == right.wrappedValue
    }
}

extension Boxed: Coded where Value: Coded {
    package static var blank: Self { Self(wrappedValue: nil) }

    package mutating func code(_ coder: inout Coder) {
        var value = wrappedValue
        coder.optional(&value)
        if coder.isReading { wrappedValue = value }
    }
}
