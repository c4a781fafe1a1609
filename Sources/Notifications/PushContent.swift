/// What a push tells about a message. The members that a kind does not have stay empty.
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

    /// The kinds of TDLib's `PushMessageContent`. They are stored by number: new ones go to the end.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case hidden, animation, audio, contact, contactRegistered, document, game, gameScore
        case invoice, location, photo, poll, premiumGiftCode, giveaway, gift, upgradedGift
        case screenshotTaken, sticker, story, text, checklist, video, videoNote, voiceNote
        case basicGroupChatCreate, videoChatStarted, videoChatEnded, inviteVideoChatParticipants
        case chatAddMembers, chatChangePhoto, chatChangeTitle, chatSetBackground, chatSetTheme
        case chatDeleteMember, chatJoinByLink, chatJoinByRequest, recurringPayment
        case suggestProfilePhoto, suggestBirthdate, proximityAlertTriggered, checklistTasksAdded
        case checklistTasksDone, pollOptionAdded, messageForwards, mediaAlbum, paidMedia
    }

    /// What is left when the user wants no preview.
    package var withoutPreview: PushContent {
        PushContent(.hidden, flags: flags.intersection(.isPinned))
    }
}
