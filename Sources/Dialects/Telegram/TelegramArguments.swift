import Notifications

/// Takes the arguments of a key apart: names first, then what is left for the content.
struct TelegramArguments {
    private(set) var key: String
    private(set) var senderName = ""
    private(set) var chatTitle = ""
    private var rest: [String]
    private let push: TelegramPush
    private let chatID: ChatID
    private let hasSender: Bool

    init(_ push: TelegramPush, _ chatID: ChatID, hasSender: Bool) {
        self.push = push
        self.chatID = chatID
        self.hasSender = hasSender
        key = push.key
        rest = push.arguments
    }

    /// Channels and groups have keys of their own for what is the same.
    mutating func takeFamily(isTolerant: Bool) throws(TelegramRefusal) {
        if key.hasPrefix("CHANNEL_MESSAGE") {
            guard chatID.kind == .channel else { throw .malformed("Receive wrong chat type") }
            key.removeFirst("CHANNEL_".count)
        }
        guard key.hasPrefix("CHAT_") else { return }
        guard chatID.kind == .basicGroup || chatID.kind == .channel else {
            throw .malformed("Receive wrong chat type")
        }
        if key.hasPrefix("CHAT_MESSAGE") { key.removeFirst("CHAT_".count) }
        guard let name = rest.first else {
            if isTolerant { return }
            throw .malformed("Expect sender name as first argument")
        }
        senderName = name
        rest.removeFirst()
    }

    /// What is left after this is about the content.
    mutating func takeNames(_ context: DialectContext) throws(TelegramRefusal) {
        if context.policy == .learn { return takeNamesTolerantly(context) }
        guard let first = rest.first else {
            throw .malformed("Expected chat name as the next argument")
        }
        if chatID.kind == .user {
            senderName = first
        } else if hasSender, key.hasPrefix("PINNED_") {
            guard rest.count >= 2 else {
                throw .malformed("Expected chat title as the last argument")
            }
            rest.removeLast()
        }
        rest.removeFirst()
    }

    /// Missing names are no reason to show nothing.
    private mutating func takeNamesTolerantly(_ context: DialectContext) {
        let ready = push.readyText(["title", "line1"])
        if key.hasPrefix("PINNED_"), chatID.kind != .user {
            senderName = rest.isEmpty ? ready ?? "" : rest.removeFirst()
            return takePinTitle(known: context.chatTitle(chatID))
        }
        if push.key.hasPrefix("CHAT_"), push.arguments.count == 1 {
            // One documented key names the sender only.
            return
        }
        let first = rest.isEmpty ? ready ?? "" : rest.removeFirst()
        if chatID.kind == .user { senderName = first }
        chatTitle = first
    }

    /// The one that is the chat's title is its title, else the documented order holds.
    private mutating func takePinTitle(known: String) {
        guard isGroup, !rest.isEmpty else { return }
        let index = known.isEmpty ? 0 : rest.firstIndex(of: known) ?? 0
        chatTitle = rest.remove(at: index)
    }

    /// A message that a person sent in a group, and not a channel's own.
    var isGroup: Bool {
        chatID.kind == .basicGroup || push.custom.has("chat_from_id")
            || push.custom.has("chat_from_group_id") || push.custom.has("chat_from_broadcast_id")
    }

    /// The arguments in the documented order, for a template.
    var documented: [String] {
        guard key.hasPrefix("PINNED_"), isGroup else { return push.arguments }
        return [senderName, chatTitle] + rest
    }

    func content(_ shape: TelegramContent) throws(TelegramRefusal) -> PushContent {
        var content = PushContent(shape.kind, flags: shape.flags)
        switch shape.argument {
        case .gameScore: try readScore(into: &content)
        case .premiumGiveaway:
            content.flags.insert(.isPremium)
            try readGiveaway(into: &content)
        case .starGiveaway: try readGiveaway(into: &content)
        case .none, .text, .count:
            guard rest.count <= 1 else { throw .malformed("Receive too many arguments") }
            let argument = rest.first ?? ""
            if shape.argument == .text { content.text = Self.withoutMark(argument, shape.kind) }
            if shape.argument == .count { content.number = Self.leadingNumber(argument) }
        }
        return content
    }

    private func readScore(into content: inout PushContent) throws(TelegramRefusal) {
        guard rest.count <= 2 else {
            throw .malformed("Expected 1 or 2 arguments for MESSAGE_GAME_SCORE")
        }
        guard let last = rest.last else { return }
        guard let score = Int32(last), !last.hasPrefix("+") else {
            throw .malformed("Can't parse as an integer string \"\(last)\"")
        }
        guard score >= 0 else { throw .malformed("Expected score to be non-negative") }
        content.number = score
        if rest.count == 2 { content.text = rest[0] }
    }

    private func readGiveaway(into content: inout PushContent) throws(TelegramRefusal) {
        guard rest.count <= 2 else { throw .malformed("Receive too many arguments") }
        guard rest.count == 2 else { return }
        var numbers: [Int32] = []
        for text in rest {
            guard let number = Int32(text), !text.hasPrefix("+") else {
                throw .malformed("Can't parse as an integer string \"\(text)\"")
            }
            numbers.append(number)
        }
        guard numbers[0] > 0 else {
            throw .malformed("Expected user count to be non-negative")
        }
        guard numbers[1] > 0 else {
            throw .malformed("Expected month count to be non-negative")
        }
        (content.number, content.secondNumber) = (numbers[0], numbers[1])
    }

    private static func leadingNumber(_ text: String) -> Int32 {
        Int32(text.prefix { ("0"..."9").contains($0) }) ?? 0
    }

    /// Captions begin with a picture that says what they belong to.
    private static func withoutMark(_ text: String, _ kind: PushContent.Kind) -> String {
        let mark: String
        switch kind {
        case .photo: mark = "\u{1F5BC} "
        case .animation: mark = "\u{1F3AC} "
        case .document: mark = "\u{1F4CE} "
        case .video: mark = "\u{1F4F9} "
        default: return text
        }
        return text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text
    }
}
