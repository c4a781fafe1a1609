import Base

/// The messages that the client supplied last, whether or not they are shown. One of them may be
/// pinned later.
struct RecentMessages: Equatable, Sendable {
    private struct Item: Equatable, Sendable, Coded {
        var chatID: ChatID
        var message: StoredMessage

        static var blank: Item { Item(chatID: ChatID(0), message: .blank) }

        mutating func code(_ coder: inout Coder) {
            chatID.code(&coder)
            message.code(&coder)
        }
    }

    /// Oldest first.
    private var items: [Item] = []

    private static let limit = 32
    private static let byteLimit = 64 << 10

    init() {}

    func message(_ id: ChatMessageID, in chatID: ChatID) -> StoredMessage? {
        index(of: id, in: chatID).map { items[$0].message }
    }

    mutating func add(_ message: LoadedMessage) {
        remove([message.id], from: message.chatID)
        items.append(Item(chatID: message.chatID, message: message.stored))
        var bytes = items.reduce(0) { $0 + $1.message.source.count }
        while items.count > Self.limit || bytes > Self.byteLimit {
            bytes -= items.removeFirst().message.source.count
        }
    }

    mutating func change(_ message: LoadedMessage) {
        if index(of: message.id, in: message.chatID) != nil { add(message) }
    }

    mutating func remove(_ ids: [ChatMessageID], from chatID: ChatID) {
        items.removeAll { $0.chatID == chatID && ids.contains($0.message.id) }
    }

    private func index(of id: ChatMessageID, in chatID: ChatID) -> Int? {
        items.firstIndex { $0.chatID == chatID && $0.message.id == id }
    }

    mutating func code(_ coder: inout Coder) { coder.list(&items) }
}

/// The identifiers of the latest pushes, so that a repeated push changes nothing.
package struct RecentPushes: Equatable, Sendable {
    private(set) var ids: [String] = []
    /// Each identifier has its trust level: a weaker push with the same identifier does not block a
    /// stronger one.
    private var known: [String: TrustLevel] = [:]
    private var oldest = 0

    static let limit = 512

    init() {}

    /// False if it was known already.
    @discardableResult
    mutating func insert(_ id: String, _ level: TrustLevel = .mtproto) -> Bool {
        if let former = known.updateValue(level, forKey: id) {
            known[id] = max(former, level)
            return level > former
        }
        if ids.count < Self.limit {
            ids.append(id)
        } else {
            known[ids[oldest]] = nil
            ids[oldest] = id
            oldest = (oldest + 1) % Self.limit
        }
        return true
    }

    private struct Push: Equatable, Coded {
        var id = ""
        var level = TrustLevel.clear

        static var blank: Push { Push() }

        mutating func code(_ coder: inout Coder) {
            coder.text(&id)
            coder.choice(&level)
        }
    }

    /// Oldest first.
    private var inOrder: [Push] {
        (ids[oldest...] + ids[..<oldest]).map { Push(id: $0, level: known[$0] ?? .clear) }
    }

    package static func == (left: Self, right: Self) -> Bool { left.inOrder == right.inOrder }

    mutating func code(_ coder: inout Coder) {
        var pushes = inOrder
        coder.list(&pushes)
        guard coder.isReading else { return }
        for push in pushes { insert(push.id, push.level) }
        // Each was remembered: none comes twice, and there are not too many.
        coder.require(inOrder == pushes)
    }
}

/// A call that rings until it is answered, declined or timed out.
package struct RingingCall: Equatable, Sendable {
    package internal(set) var chatID: ChatID
    package internal(set) var groupID: NotificationGroup.ID
    package internal(set) var notificationID: Notification.ID
    /// When it stops ringing. Nil while a client watches the call.
    package var deadline: Double?
    package var callerName = ""
    /// Shown when the call was missed.
    package var missedText = ""
    /// Given to the application that answers; see `Presentation.data`.
    package var data = ""
    package var level: TrustLevel
    /// It is copied from its notification.
    package var isTrusted = false

    /// How long a call rings that is known only from a push, in seconds.
    static let ringTime: Double = 60
}
