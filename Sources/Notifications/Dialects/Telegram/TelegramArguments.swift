/// Splits the arguments of a key: names first, then what describes the content.
struct TelegramArguments {
    private(set) var key: String
    private(set) var senderName = ""
    private(set) var chatTitle = ""
    private var rest: [String]
    private let push: TelegramPush
    private let chatID: ChatID
    private let hasSender: Bool
    /// Whether to read it exactly as TDLib does.
    private let isTDLib: Bool

    init(_ push: TelegramPush, _ chatID: ChatID, hasSender: Bool, _ policy: ChatPolicy) {
        isTDLib = policy == .strict
        self.push = push
        self.chatID = chatID
        self.hasSender = hasSender
        key = push.key
        rest = push.arguments
    }

    /// Channels and groups have their own keys for the same events.
    mutating func readFamily(isTolerant: Bool) throws(TelegramRefusal) {
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

    /// The remaining arguments describe the content.
    mutating func readNames(_ context: DialectContext) throws(TelegramRefusal) {
        if context.policy == .learn { return readNamesTolerantly(context) }
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

    /// Reads names, but accepts missing ones rather than showing nothing.
    private mutating func readNamesTolerantly(_ context: DialectContext) {
        if key.hasPrefix("PINNED_"), chatID.kind != .user {
            senderName = rest.isEmpty ? push.readyName : rest.removeFirst()
            return readPinTitle(known: context.chatTitle(chatID))
        }
        if push.key.hasPrefix("CHAT_") {
            if senderName.isEmpty { senderName = push.readyName }
            // One documented key has only a sender. The client may know the title.
            if rest.isEmpty {
                chatTitle = context.chatTitle(chatID)
                return
            }
        }
        let first = rest.isEmpty ? push.readyName : rest.removeFirst()
        if chatID.kind == .user { senderName = first }
        chatTitle = first
    }

    /// If an argument equals the known title, it is the title; otherwise the documented order
    /// applies.
    private mutating func readPinTitle(known: String) {
        guard isGroup, !rest.isEmpty else { return }
        let index = known.isEmpty ? 0 : rest.firstIndex(of: known) ?? 0
        chatTitle = rest.remove(at: index)
    }

    /// A message that a person sent to a group, not a channel's own post.
    var isGroup: Bool {
        chatID.kind == .basicGroup || push.custom.has("chat_from_id")
            || push.custom.has("chat_from_group_id") || push.custom.has("chat_from_broadcast_id")
    }

    /// The arguments in the documented order, for a template.
    var documented: [String] {
        if push.key.hasPrefix("CHAT_"), push.arguments.count == 1, !chatTitle.isEmpty {
            return push.arguments + [chatTitle]
        }
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

    /// TDLib lets counts overflow; counts of stars have 64 bits.
    private func count(_ text: String, of kind: PushContent.Kind) -> Int64 {
        guard isTDLib else { return Int64(TelegramNumber.clamped(text) as Int32) }
        return kind == .gift
            ? Int64(wrappedStartOf: text) : Int64(Int32(wrappedStartOf: text))
    }

    private static func stars(_ count: Int64) -> Int64 { min(max(count, 0), 1 << 51) }
}
