/// What a push says about a message. Members that a kind does not have stay empty.
package struct PushContent: Equatable, Sendable {
    package var kind: Kind
    package var text: String
    package var number: Int64
    package var secondNumber: Int64
    package var flags: Flags

    package init(
        _ kind: Kind, text: String = "", number: Int64 = 0, secondNumber: Int64 = 0,
        flags: Flags = []
    ) {
        self.kind = kind
        self.text = text
        self.number = number
        self.secondNumber = secondNumber
        self.flags = flags
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let isPinned = Flags(rawValue: 1)
        package static let isLive = Flags(rawValue: 1 << 1)
        package static let isSecret = Flags(rawValue: 1 << 2)
        package static let isRegular = Flags(rawValue: 1 << 3)
        package static let isMention = Flags(rawValue: 1 << 4)
        package static let isCurrentUser = Flags(rawValue: 1 << 5)
        package static let isReturned = Flags(rawValue: 1 << 6)
        package static let isLeft = Flags(rawValue: 1 << 7)
        package static let isSame = Flags(rawValue: 1 << 8)
        package static let isUpgrade = Flags(rawValue: 1 << 9)
        package static let isPrepaidUpgrade = Flags(rawValue: 1 << 10)
        package static let isPremium = Flags(rawValue: 1 << 11)
        package static let hasPhotos = Flags(rawValue: 1 << 12)
        package static let hasVideos = Flags(rawValue: 1 << 13)
        package static let hasAudios = Flags(rawValue: 1 << 14)
        package static let hasDocuments = Flags(rawValue: 1 << 15)
    }

    /// The kinds of TDLib's `PushMessageContent`. It is stored as its number.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case hidden = 0
        case animation = 1
        case audio = 2
        case contact = 3
        case contactRegistered = 4
        case document = 5
        case game = 6
        case gameScore = 7
        case invoice = 8
        case location = 9
        case photo = 10
        case poll = 11
        case premiumGiftCode = 12
        case giveaway = 13
        case gift = 14
        case upgradedGift = 15
        case screenshotTaken = 16
        case sticker = 17
        case story = 18
        case text = 19
        case checklist = 20
        case video = 21
        case videoNote = 22
        case voiceNote = 23
        case basicGroupChatCreate = 24
        case videoChatStarted = 25
        case videoChatEnded = 26
        case inviteVideoChatParticipants = 27
        case chatAddMembers = 28
        case chatChangePhoto = 29
        case chatChangeTitle = 30
        case chatSetBackground = 31
        case chatSetTheme = 32
        case chatDeleteMember = 33
        case chatJoinByLink = 34
        case chatJoinByRequest = 35
        case recurringPayment = 36
        case suggestProfilePhoto = 37
        case suggestBirthdate = 38
        case proximityAlertTriggered = 39
        case checklistTasksAdded = 40
        case checklistTasksDone = 41
        case pollOptionAdded = 42
        case messageForwards = 43
        case mediaAlbum = 44
        case paidMedia = 45
    }

    /// What is shown when previews are off.
    package var withoutPreview: PushContent {
        PushContent(.hidden, flags: flags.intersection(.isPinned))
    }
}

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
