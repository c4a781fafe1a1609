import Base

/// Drafts: other clients are told of them. Nothing that is shown depends on them, so the engine
/// keeps only which chats have one.
extension Engine {
    mutating func setDraft(_ request: JSONNode) throws(RequestRefusal) {
        let chatID = try accessibleChat(request)
        guard let chat = account.chats[chatID] else { return }
        if chat.isClosed { throw RequestRefusal("Have no write access to the chat") }
        if chat.kind == .channel, !chat.mayPost {
            throw RequestRefusal("Need administrator rights in the channel chat")
        }
        let topic = request["topic_id"].flatMap { $0.kind == .null ? nil : $0 }
        if let topic { try check(topic, chatID, chat) }
        let draft = request["draft_message"].flatMap { $0.kind == .null ? nil : $0 }
        if let draft { try DraftContent.check(draft) }
        guard let topic else { return setDraft(draft, of: chatID) }
        if topic["@type"]?.text == "messageTopicForum" {
            throw RequestRefusal("The chat is not a forum")
        }
    }

    /// The engine knows no forum, no direct messages of a channel, and no topics of saved messages.
    private func check(
        _ topic: JSONNode, _ chatID: ChatID, _ chat: Chat
    ) throws(RequestRefusal) {
        switch topic["@type"]?.text {
        case "messageTopicThread":
            guard chat.kind == .supergroup else {
                throw RequestRefusal("Chat doesn't have threads")
            }
            guard ChatMessageID(topic["message_thread_id"]?.integer ?? 0).form == .server else {
                throw RequestRefusal("Invalid message thread identifier specified")
            }
        case "messageTopicForum":
            guard topic["forum_topic_id"]?.integer ?? 0 > 0 else {
                throw RequestRefusal("Invalid topic identifier specified")
            }
            guard chat.kind == .supergroup else { throw RequestRefusal("Chat is not a forum") }
        case "messageTopicDirectMessages":
            throw RequestRefusal("Chat is not an administered channel direct messages chat")
        default:
            guard chatID.rawValue == account.userID else {
                throw RequestRefusal("Chat is not the Saved Messages chat")
            }
            let saved = ChatID(topic["saved_messages_topic_id"]?.integer ?? 0)
            throw RequestRefusal(
                account.chats[saved] != nil
                    ? "Messages can't be explicitly sent to a Saved Messages topic"
                    : "Topic not found")
        }
    }

    private mutating func setDraft(_ draft: JSONNode?, of chatID: ChatID) {
        let draft = draft.flatMap { DraftContent.isEmpty($0) ? nil : $0 }
        let hadDraft = drafts.contains(chatID)
        guard draft != nil || hadDraft else { return }
        if draft == nil { drafts.remove(chatID) } else { drafts.insert(chatID) }
        updates.append(
            news("updateChatDraftMessage", of: chatID) { writer in
                if let draft { write(draft, to: &writer) }
                writer.name("positions")
                writer.array { _ in }
            })
    }

    private func write(_ draft: JSONNode, to writer: inout JSONWriter) {
        writer.name("draft_message")
        writer.object { writer in
            writer.member("@type", "draftMessage")
            writer.member("date", Int(Int64(time: now)))
            for name in DraftContent.members {
                guard let value = draft[name], value.kind != .null else { continue }
                writer.name(name)
                writer.value(value)
            }
        }
    }

    mutating func clearDrafts(keepsSecret: Bool) {
        for chatID in drafts.sorted() {
            if keepsSecret, account.chats[chatID]?.kind == .secret { continue }
            setDraft(nil, of: chatID)
        }
    }
}

/// What TDLib checks in a draft whose shape is right.
enum DraftContent {
    /// The members that are passed on.
    static let members: [StaticString] = [
        "reply_to", "content", "effect_id", "suggested_post_info",
    ]

    /// An empty draft is none.
    static func isEmpty(_ draft: JSONNode) -> Bool {
        if let reply = draft["reply_to"], reply.kind != .null { return false }
        guard let content = draft["content"] else { return true }
        switch content["@type"]?.text {
        case "draftMessageContentVideoNote", "draftMessageContentVoiceNote": return false
        case "draftMessageContentText": return (content["text"]?["text"]?.text ?? "").isEmpty
        default: return true
        }
    }

    static func check(_ draft: JSONNode) throws(RequestRefusal) {
        if let post = draft["suggested_post_info"] { try check(suggestedPost: post) }
        guard let content = draft["content"] else { return }
        if let text = content["text"] {
            try check(text, url: content["link_preview_options"]?["url"])
        }
        let time = content["self_destruct_type"]?["self_destruct_time"]
        let isTimed =
            content["self_destruct_type"]?["@type"]?.text == "messageSelfDestructTypeTimer"
        guard !isTimed || 1...60 ~= time?.integer ?? 0 else {
            throw RequestRefusal("Invalid message content self-destruct time specified")
        }
    }

    private static func check(suggestedPost post: JSONNode) throws(RequestRefusal) {
        let stars = post["price"]?["star_count"]?.integer ?? 0
        guard stars == 0 || 5...100_000 ~= stars else {
            throw RequestRefusal("Invalid amount of Telegram Stars specified")
        }
        let cents = post["price"]?["gram_cent_count"]?.integer ?? 0
        guard 0...1_000_000 ~= cents else {
            throw RequestRefusal("Invalid amount of Gram cents specified")
        }
        guard post["send_date"]?.integer ?? 0 >= 0 else {
            throw RequestRefusal("Invalid post send date specified")
        }
    }

    private static func check(_ text: JSONNode, url: JSONNode?) throws(RequestRefusal) {
        if url?.hasLoneSurrogate == true {
            throw RequestRefusal("Link preview URL must be encoded in UTF-8")
        }
        let entities = (text["entities"]?.elements ?? []).filter { $0["type"]?.kind == .object }
        for type in entities.compactMap({ $0["type"] }) {
            if type["media_timestamp"]?.integer ?? 0 < 0 {
                throw RequestRefusal("Invalid media timestamp specified")
            }
            if type["@type"]?.text == "textEntityTypeCustomEmoji",
                type["custom_emoji_id"]?.integer ?? 0 == 0
            {
                throw RequestRefusal("Invalid custom emoji identifier specified")
            }
        }
        if text["text"]?.hasLoneSurrogate == true {
            throw RequestRefusal("Strings must be encoded in UTF-8")
        }
        for entity in entities {
            let offset = entity["offset"]?.integer ?? 0
            guard 0...1_000_000 ~= offset else {
                throw RequestRefusal("Receive an entity with incorrect offset \(offset)")
            }
            let length = entity["length"]?.integer ?? 0
            guard 0...1_000_000 ~= length else {
                throw RequestRefusal("Receive an entity with incorrect length \(length)")
            }
        }
    }
}
