/// What TDLib makes of a key: the kind of content, and the meaning of its argument.
struct TelegramContent {
    enum Argument { case none, text, count, stars, gameScore, premiumGiveaway, starGiveaway }

    let kind: PushContent.Kind
    var argument = Argument.none
    var flags: PushContent.Flags = []

    init(
        _ kind: PushContent.Kind, _ argument: Argument = .none, _ flags: PushContent.Flags = []
    ) {
        self.kind = kind
        self.argument = argument
        self.flags = flags
    }

    /// Nil for a key that TDLib does not show.
    static func of(_ key: String) -> TelegramContent? {
        if let content = table[key] { return content }
        guard pinned.contains(key) else { return nil }
        let name = key.dropFirst("PINNED_".count)
        guard var content = table["MESSAGE_\(name)"] else { return nil }
        // For pinned messages TDLib omits the score and the prize.
        if [.gameScore, .giveaway, .paidMedia].contains(content.kind) { content.argument = .none }
        content.flags.insert(.isPinned)
        return content
    }

    private static let pinned: Set<String> = [
        "PINNED_AUDIO", "PINNED_CONTACT", "PINNED_DOC", "PINNED_GAME", "PINNED_GAME_SCORE",
        "PINNED_GEO", "PINNED_GEOLIVE", "PINNED_GIF", "PINNED_GIVEAWAY", "PINNED_GIVEAWAY_STARS",
        "PINNED_INVOICE", "PINNED_NOTEXT", "PINNED_PAID_MEDIA", "PINNED_PHOTO", "PINNED_POLL",
        "PINNED_QUIZ", "PINNED_ROUND", "PINNED_STICKER", "PINNED_STORY", "PINNED_TEXT",
        "PINNED_TODO", "PINNED_VIDEO",
    ]

    private static let table = messages.merging(events) { first, _ in first }

    private static let messages: [String: TelegramContent] = [
        "MESSAGES": TelegramContent(.mediaAlbum, .count, [.hasPhotos, .hasVideos]),
        "MESSAGE_AUDIO": TelegramContent(.voiceNote),
        "MESSAGE_CONTACT": TelegramContent(.contact, .text),
        "MESSAGE_DOC": TelegramContent(.document),
        "MESSAGE_DOCS": TelegramContent(.mediaAlbum, .count, .hasDocuments),
        "MESSAGE_FWDS": TelegramContent(.messageForwards, .count),
        "MESSAGE_GAME": TelegramContent(.game, .text),
        "MESSAGE_GAME_SCORE": TelegramContent(.gameScore, .gameScore),
        "MESSAGE_GEO": TelegramContent(.location),
        "MESSAGE_GEOLIVE": TelegramContent(.location, .none, .isLive),
        "MESSAGE_GIF": TelegramContent(.animation, .text),
        "MESSAGE_GIFTCODE": TelegramContent(.premiumGiftCode, .count),
        "MESSAGE_GIFT_THEME": TelegramContent(.chatSetTheme, .text),
        "MESSAGE_GIVEAWAY": TelegramContent(.giveaway, .premiumGiveaway),
        "MESSAGE_GIVEAWAY_STARS": TelegramContent(.giveaway, .starGiveaway),
        "MESSAGE_INVOICE": TelegramContent(.invoice, .text),
        "MESSAGE_NOTEXT": TelegramContent(.hidden),
        "MESSAGE_NOTHEME": TelegramContent(.chatSetTheme, .text),
        "MESSAGE_PAID_MEDIA": TelegramContent(.paidMedia, .stars),
        "MESSAGE_PHOTO": TelegramContent(.photo, .text),
        "MESSAGE_PHOTOS": TelegramContent(.mediaAlbum, .count, .hasPhotos),
        "MESSAGE_PHOTO_SECRET": TelegramContent(.photo, .text, .isSecret),
        "MESSAGE_PLAYLIST": TelegramContent(.mediaAlbum, .count, .hasAudios),
        "MESSAGE_POLL": TelegramContent(.poll, .text, .isRegular),
        "MESSAGE_POLL_APPEND": TelegramContent(.pollOptionAdded, .text),
        "MESSAGE_PROXIMITY": TelegramContent(.proximityAlertTriggered, .count),
        "MESSAGE_QUIZ": TelegramContent(.poll, .text),
        "MESSAGE_RECURRING_PAY": TelegramContent(.recurringPayment, .text),
        "MESSAGE_ROUND": TelegramContent(.videoNote),
        "MESSAGE_SAME_WALLPAPER": TelegramContent(.chatSetBackground, .none, .isSame),
        "MESSAGE_SCREENSHOT": TelegramContent(.screenshotTaken),
        "MESSAGE_STARGIFT": TelegramContent(.gift, .count),
        "MESSAGE_STARGIFT_PREPAID_UPGRADE": TelegramContent(.gift, .count, .isPrepaidUpgrade),
        "MESSAGE_STARGIFT_UNPACK_UPGRADE": TelegramContent(
            .upgradedGift, .none, .isPrepaidUpgrade),
        "MESSAGE_STARGIFT_UPGRADE": TelegramContent(.upgradedGift, .none, .isUpgrade),
        "MESSAGE_STICKER": TelegramContent(.sticker, .text),
        "MESSAGE_STORY": TelegramContent(.story),
        "MESSAGE_STORY_MENTION": TelegramContent(.story, .none, .isMention),
        "MESSAGE_SUGGEST_BIRTHDAY": TelegramContent(.suggestBirthdate),
        "MESSAGE_SUGGEST_USERPIC": TelegramContent(.suggestProfilePhoto),
        "MESSAGE_TEXT": TelegramContent(.text, .text),
        "MESSAGE_THEME": TelegramContent(.chatSetTheme, .text),
        "MESSAGE_TODO": TelegramContent(.checklist, .text),
        "MESSAGE_TODO_APPEND": TelegramContent(.checklistTasksAdded, .count),
        "MESSAGE_TODO_DONE": TelegramContent(.checklistTasksDone, .count),
        "MESSAGE_UNIQUE_STARGIFT": TelegramContent(.upgradedGift),
        "MESSAGE_VIDEO": TelegramContent(.video, .text),
        "MESSAGE_VIDEOS": TelegramContent(.mediaAlbum, .count, .hasVideos),
        "MESSAGE_VIDEO_SECRET": TelegramContent(.video, .text, .isSecret),
        "MESSAGE_WALLPAPER": TelegramContent(.chatSetBackground),
    ]

    private static let events: [String: TelegramContent] = [
        "CHAT_ADD_MEMBER": TelegramContent(.chatAddMembers, .text),
        "CHAT_ADD_YOU": TelegramContent(.chatAddMembers, .text, .isCurrentUser),
        "CHAT_CREATED": TelegramContent(.basicGroupChatCreate),
        "CHAT_DELETE_MEMBER": TelegramContent(.chatDeleteMember, .text),
        "CHAT_DELETE_YOU": TelegramContent(.chatDeleteMember, .text, .isCurrentUser),
        "CHAT_JOINED": TelegramContent(.chatJoinByLink),
        "CHAT_LEFT": TelegramContent(.chatDeleteMember, .text, .isLeft),
        "CHAT_LIVESTREAM_END": TelegramContent(.videoChatEnded),
        "CHAT_LIVESTREAM_START": TelegramContent(.videoChatStarted),
        "CHAT_PHOTO_EDITED": TelegramContent(.chatChangePhoto),
        "CHAT_REQ_JOINED": TelegramContent(.chatJoinByRequest),
        "CHAT_RETURNED": TelegramContent(.chatAddMembers, .text, .isReturned),
        "CHAT_TITLE_EDITED": TelegramContent(.chatChangeTitle, .text),
        "CHAT_VOICECHAT_END": TelegramContent(.videoChatEnded),
        "CHAT_VOICECHAT_INVITE": TelegramContent(.inviteVideoChatParticipants),
        "CHAT_VOICECHAT_INVITE_YOU": TelegramContent(
            .inviteVideoChatParticipants, .none, .isCurrentUser),
        "CHAT_VOICECHAT_START": TelegramContent(.videoChatStarted),
        "CONTACT_JOINED": TelegramContent(.contactRegistered),
        "CONTACT_JOINED_PREMIUM": TelegramContent(.contactRegistered, .none, .isPremium),
    ]
}
