/// The members of drafts.
enum DraftShape {
    typealias Kind = RequestShape.Kind
    typealias Member = RequestShape.Member

    static let topic = Kind.oneOf([
        ("messageTopicThread", [Member("message_thread_id", .int64)]),
        ("messageTopicForum", [Member("forum_topic_id", .int32)]),
        ("messageTopicDirectMessages", [Member("direct_messages_chat_topic_id", .int64)]),
        ("messageTopicSavedMessages", [Member("saved_messages_topic_id", .int64)]),
    ])

    static let draft = Kind.object([
        Member("reply_to", replyTo), Member("date", .int32), Member("content", content),
        Member("effect_id", .int64), Member("suggested_post_info", suggestedPost),
    ])

    private static let replyTo = Kind.oneOf([
        ("inputMessageReplyToMessage", replied),
        ("inputMessageReplyToExternalMessage", [Member("chat_id", .int64)] + replied),
        (
            "inputMessageReplyToStory",
            [Member("story_poster_chat_id", .int64), Member("story_id", .int32)]
        ),
        ("inputMessageReplyToEphemeralMessage", [Member("ephemeral_message_id", .int32)]),
    ])

    private static let replied = [
        Member("message_id", .int64),
        Member("quote", .object([Member("text", text), Member("position", .int32)])),
        Member("checklist_task_id", .int32), Member("poll_option_id", .text),
    ]

    private static let content = Kind.oneOf([
        (
            "draftMessageContentText",
            [Member("text", text), Member("link_preview_options", .object(linkPreview))]
        ),
        // TDLib does not store it either.
        ("draftMessageContentRichMessage", [Member("message", .object([]))]),
        (
            "draftMessageContentVideoNote",
            [
                Member("file_path", .text), Member("duration", .int32), Member("length", .int32),
                selfDestruction,
            ]
        ),
        (
            "draftMessageContentVoiceNote",
            [
                Member("file_path", .text), Member("duration", .int32), Member("waveform", .text),
                selfDestruction,
            ]
        ),
    ])

    private static let linkPreview = [
        Member("is_disabled", .flag), Member("url", .text), Member("force_small_media", .flag),
        Member("force_large_media", .flag), Member("show_above_text", .flag),
    ]

    private static let selfDestruction = Member(
        "self_destruct_type",
        .oneOf([
            ("messageSelfDestructTypeTimer", [Member("self_destruct_time", .int32)]),
            ("messageSelfDestructTypeImmediately", []),
        ]))

    private static let suggestedPost = Kind.object([
        Member(
            "price",
            .oneOf([
                ("suggestedPostPriceStar", [Member("star_count", .int64)]),
                ("suggestedPostPriceGram", [Member("gram_cent_count", .int64)]),
            ])),
        Member("send_date", .int32),
    ])

    private static let text = Kind.object([
        Member("text", .text),
        Member(
            "entities",
            .list(of: [
                Member("offset", .int32), Member("length", .int32), Member("type", entityType),
            ])),
    ])

    private static let entityType = Kind.oneOf(plainEntities + otherEntities)

    private static let plainEntities: [(name: String, members: [Member])] = [
        "Mention", "Hashtag", "Cashtag", "BotCommand", "Url", "EmailAddress", "PhoneNumber",
        "BankCardNumber", "Bold", "Italic", "Underline", "Strikethrough", "Spoiler", "Code", "Pre",
        "BlockQuote", "ExpandableBlockQuote",
    ].map { (name: "textEntityType\($0)", members: []) }

    private static let otherEntities: [(name: String, members: [Member])] = [
        ("textEntityTypePreCode", [Member("language", .text)]),
        ("textEntityTypeTextUrl", [Member("url", .text)]),
        ("textEntityTypeMentionName", [Member("user_id", .int64)]),
        ("textEntityTypeCustomEmoji", [Member("custom_emoji_id", .int64)]),
        ("textEntityTypeMediaTimestamp", [Member("media_timestamp", .int32)]),
        ("textEntityTypeDateTime", [Member("unix_time", .int32)]),
    ]
}
