/// The requests, with their members in TDLib's order: the first mistake is the one that is named.
extension RequestShape {
    static let requests = settings.merging(chats) { first, _ in first }
        .merging(others) { first, _ in first }

    private static let chatID = Member("chat_id", .int64)

    private static let settings: [String: [Member]] = [
        "setOption": [Member("name", .text), Member("value", optionValue)],
        "getOption": [Member("name", .text)],
        "setChatNotificationSettings": [
            chatID, Member("notification_settings", .object(chatSettings)),
        ],
        "getChatNotificationSettings": [chatID],
        "setScopeNotificationSettings": [
            Member("scope", scope), Member("notification_settings", .object(scopeSettings)),
        ],
        "getScopeNotificationSettings": [Member("scope", scope)],
        "setForumTopicNotificationSettings": [
            chatID, Member("forum_topic_id", .int32),
            Member("notification_settings", .object(chatSettings)),
        ],
        "setReactionNotificationSettings": [
            Member("notification_settings", .object(reactionSettings))
        ],
        "getChatNotificationSettingsExceptions": [
            Member("scope", scope), Member("compare_sound", .flag),
        ],
        "getSavedNotificationSound": [Member("notification_sound_id", .int64)],
        "addSavedNotificationSound": [Member("sound", inputFile)],
        "removeSavedNotificationSound": [Member("notification_sound_id", .int64)],
    ]

    private static let chats: [String: [Member]] = [
        "openChat": [chatID],
        "closeChat": [chatID],
        "getChat": [chatID],
        "viewMessages": [
            chatID, Member("message_ids", .list(.int64)),
            Member("source", .oneOf(names: MessageSource.typeNames)), Member("force_read", .flag),
        ],
        "setChatDraftMessage": [
            chatID, Member("topic_id", DraftShape.topic),
            Member("draft_message", DraftShape.draft),
        ],
        "clearAllDraftMessages": [Member("exclude_secret_chats", .flag)],
        "toggleChatIsMarkedAsUnread": [chatID, Member("is_marked_as_unread", .flag)],
        "toggleChatDefaultDisableNotification": [
            chatID, Member("default_disable_notification", .flag),
        ],
        "readAllChatMentions": [chatID],
        "readAllChatReactions": [chatID],
        "readAllChatPollVotes": [chatID],
        "getMessageLocally": [chatID, Member("message_id", .int64)],
    ]

    private static let others: [String: [Member]] = [
        "removeNotification": [
            Member("notification_group_id", .int32), Member("notification_id", .int32),
        ],
        "removeNotificationGroup": [
            Member("notification_group_id", .int32), Member("max_notification_id", .int32),
        ],
        "registerDevice": [
            Member("device_token", deviceToken), Member("other_user_ids", .list(.int64)),
        ],
        "processPushNotification": [Member("payload", .text)],
        "getPushReceiverId": [Member("payload", .text)],
        "getUser": [Member("user_id", .int64)],
        "setAlarm": [Member("seconds", .double)],
        "setLogVerbosityLevel": [Member("new_verbosity_level", .int32)],
        "testCallString": [Member("x", .text)],
        "testCallBytes": [Member("x", .text)],
        "testCallVectorInt": [Member("x", .list(.int32))],
        "testCallVectorIntObject": [Member("x", .list(of: [Member("value", .int32)]))],
        "testCallVectorString": [Member("x", .list(.text))],
        "testCallVectorStringObject": [Member("x", .list(of: [Member("value", .text)]))],
        "testSquareInt": [Member("x", .int32)],
        "testReturnError": [
            Member("error", .object([Member("code", .int32), Member("message", .text)]))
        ],
    ]

    private static let deviceToken = Kind.oneOf(
        DeviceToken.kinds.map { (name: $0.key, members: members(of: $0.value)) })

    private static func members(of kind: DeviceToken.Kind) -> [Member] {
        var members = [Member(kind.member, .text)]
        if kind.hasSandbox { members.append(Member("is_app_sandbox", .flag)) }
        if kind.canEncrypt { members.append(Member("encrypt", .flag)) }
        if kind.type == DeviceToken.webPush {
            members.append(Member("p256dh_base64url", .text))
            members.append(Member("auth_base64url", .text))
        }
        return members
    }

    private static let optionValue = Kind.oneOf([
        ("optionValueBoolean", [Member("value", .flag)]),
        ("optionValueEmpty", []),
        ("optionValueInteger", [Member("value", .int64)]),
        ("optionValueString", [Member("value", .text)]),
    ])

    private static let scope = Kind.oneOf(names: ScopeNotificationSettings.Scope.typeNames)

    private static let scopeSettings = [
        Member("mute_for", .int32), Member("sound_id", .int64), Member("show_preview", .flag),
        Member("use_default_mute_stories", .flag), Member("mute_stories", .flag),
        Member("story_sound_id", .int64), Member("show_story_poster", .flag),
        Member("disable_pinned_message_notifications", .flag),
        Member("disable_mention_notifications", .flag),
    ]

    private static let chatSettings = [
        Member("use_default_mute_for", .flag), Member("mute_for", .int32),
        Member("use_default_sound", .flag), Member("sound_id", .int64),
        Member("use_default_show_preview", .flag), Member("show_preview", .flag),
        Member("use_default_mute_stories", .flag), Member("mute_stories", .flag),
        Member("use_default_story_sound", .flag), Member("story_sound_id", .int64),
        Member("use_default_show_story_poster", .flag), Member("show_story_poster", .flag),
        Member("use_default_disable_pinned_message_notifications", .flag),
        Member("disable_pinned_message_notifications", .flag),
        Member("use_default_disable_mention_notifications", .flag),
        Member("disable_mention_notifications", .flag),
    ]

    private static let reactionSettings: [Member] =
        ReactionNotificationSettings.sourceNames.map { name in
            Member(name, .oneOf(names: ReactionNotificationSettings.Source.typeNames))
        } + [Member("sound_id", .int64), Member("show_preview", .flag)]

    private static let inputFile = Kind.oneOf([
        ("inputFileId", [Member("id", .int32)]),
        ("inputFileRemote", [Member("id", .text)]),
        ("inputFileLocal", [Member("path", .text)]),
        (
            "inputFileGenerated",
            [
                Member("original_path", .text), Member("conversion", .text),
                Member("expected_size", .int64),
            ]
        ),
    ])
}

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
