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
    /// Whether it is to be read as TDLib reads it.
    private let isTDLib: Bool

    init(_ push: TelegramPush, _ chatID: ChatID, hasSender: Bool, _ policy: ChatPolicy) {
        isTDLib = policy == .strict
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
            throw .malformed("Expect sender name as the first argument")
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
        if key.hasPrefix("PINNED_"), chatID.kind != .user {
            senderName = rest.isEmpty ? push.readyName : rest.removeFirst()
            return takePinTitle(known: context.chatTitle(chatID))
        }
        if push.key.hasPrefix("CHAT_") {
            if senderName.isEmpty { senderName = push.readyName }
            // One documented key names the sender only.
            if rest.isEmpty { return }
        }
        let first = rest.isEmpty ? push.readyName : rest.removeFirst()
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
        case .stars:
            guard rest.count == 1 else {
                throw .malformed("Expected 1 argument for MESSAGE_PAID_MEDIA")
            }
            content.number = Self.stars(try TelegramNumber.strict(rest[0]))
        case .gameScore: try readScore(into: &content)
        case .premiumGiveaway:
            content.flags.insert(.isPremium)
            try readGiveaway(into: &content)
        case .starGiveaway: try readGiveaway(into: &content)
        case .none, .text, .count:
            guard rest.count <= 1 else { throw .malformed("Receive too many arguments") }
            let argument = rest.first ?? ""
            if shape.argument == .text { content.text = argument }
            if shape.argument == .count { content.number = count(argument, of: shape.kind) }
        }
        return content
    }

    private func readScore(into content: inout PushContent) throws(TelegramRefusal) {
        guard rest.count == 2 else {
            throw .malformed("Expected 2 arguments for MESSAGE_GAME_SCORE")
        }
        let score: Int32 = try TelegramNumber.strict(rest[1])
        guard score >= 0 else { throw .malformed("Expected score to be non-negative") }
        (content.text, content.number) = (rest[0], Int64(score))
    }

    private func readGiveaway(into content: inout PushContent) throws(TelegramRefusal) {
        let isPremium = content.flags.contains(.isPremium)
        guard rest.count == 2 else {
            throw .malformed(
                "Expected 2 arguments for MESSAGE_GIVEAWAY\(isPremium ? "" : "_STARS")")
        }
        let winners: Int32 = try TelegramNumber.strict(rest[0])
        guard winners > 0 else { throw .malformed("Expected user count to be non-negative") }
        if isPremium {
            let months: Int32 = try TelegramNumber.strict(rest[1])
            guard months > 0 else { throw .malformed("Expected month count to be non-negative") }
            content.secondNumber = Int64(months)
        } else {
            content.secondNumber = Self.stars(try TelegramNumber.strict(rest[1]))
        }
        content.number = Int64(winners)
    }

    /// TDLib lets counts wrap, those of stars at 64 bits.
    private func count(_ text: String, of kind: PushContent.Kind) -> Int64 {
        guard isTDLib else { return Int64(TelegramNumber.clamped(text) as Int32) }
        return kind == .gift
            ? TelegramNumber.wrapping(text) : Int64(TelegramNumber.wrapping(text) as Int32)
    }

    private static func stars(_ count: Int64) -> Int64 { min(max(count, 0), 1 << 51) }
}
