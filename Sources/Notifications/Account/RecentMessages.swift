/// The messages that the client supplied last, whether or not they are shown. One of them may be
/// pinned later.
struct RecentMessages: Equatable, Sendable {
    private struct Item: Equatable, Sendable {
        let chatID: ChatID
        var message: StoredMessage
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

    func write(to state: inout StateWriter) {
        state.list(items) { state, item in
            state.number(item.chatID.rawValue)
            item.message.write(to: &state)
        }
    }

    init(from state: inout StateReader) throws(StateReader.Damage) {
        items = try state.list { state throws(StateReader.Damage) in
            Item(chatID: ChatID(try state.number()), message: try StoredMessage(from: &state))
        }
    }
}
