/// The members of each kind, in TDLib's order and spelling.
extension PushContent {
    enum Member {
        case text(StaticString)
        case number(StaticString)
        case flag(StaticString, Flags)
        case prize

        static let isPinned = Member.flag("is_pinned", .isPinned)
    }

    var members: [Member] { Self.table[Int(kind.rawValue)] }

    private static let table = Kind.allCases.map(members(of:))

    private static func members(of kind: Kind) -> [Member] {
        switch kind {
        case .hidden, .audio, .document, .videoNote, .voiceNote: [.isPinned]
        case .animation: [.text("caption"), .isPinned]
        case .photo, .video: [.text("caption"), .flag("is_secret", .isSecret), .isPinned]
        case .contact: [.text("name"), .isPinned]
        case .game, .checklist: [.text("title"), .isPinned]
        case .gameScore: [.text("title"), .number("score"), .isPinned]
        case .invoice: [.text("price"), .isPinned]
        case .location: [.flag("is_live", .isLive), .isPinned]
        case .poll: [.text("question"), .flag("is_regular", .isRegular), .isPinned]
        case .giveaway: [.number("winner_count"), .prize, .isPinned]
        case .sticker: [.text("emoji"), .isPinned]
        case .story: [.flag("is_mention", .isMention), .isPinned]
        case .text: [.text("text"), .isPinned]
        case .paidMedia: [.number("star_count"), .isPinned]
        default: otherMembers(of: kind)
        }
    }

    /// The kinds that cannot be pinned.
    private static func otherMembers(of kind: Kind) -> [Member] {
        switch kind {
        case .contactRegistered: [.flag("as_premium_account", .isPremium)]
        case .premiumGiftCode: [.number("month_count")]
        case .gift: [.number("star_count"), .flag("is_prepaid_upgrade", .isPrepaidUpgrade)]
        case .upgradedGift:
            [
                .flag("is_upgrade", .isUpgrade),
                .flag("is_prepaid_upgrade", .isPrepaidUpgrade),
            ]
        case .inviteVideoChatParticipants: [.flag("is_current_user", .isCurrentUser)]
        case .chatAddMembers:
            [
                .text("member_name"), .flag("is_current_user", .isCurrentUser),
                .flag("is_returned", .isReturned),
            ]
        case .chatDeleteMember:
            [
                .text("member_name"), .flag("is_current_user", .isCurrentUser),
                .flag("is_left", .isLeft),
            ]
        case .chatChangeTitle: [.text("title")]
        case .chatSetBackground: [.flag("is_same", .isSame)]
        case .chatSetTheme: [.text("name")]
        case .recurringPayment: [.text("amount")]
        case .proximityAlertTriggered: [.number("distance")]
        case .checklistTasksAdded, .checklistTasksDone: [.number("task_count")]
        case .pollOptionAdded: [.text("text")]
        case .messageForwards: [.number("total_count")]
        case .mediaAlbum:
            [
                .number("total_count"), .flag("has_photos", .hasPhotos),
                .flag("has_videos", .hasVideos), .flag("has_audios", .hasAudios),
                .flag("has_documents", .hasDocuments),
            ]
        default: []
        }
    }
}
