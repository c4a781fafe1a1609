import Base
import Testing

@testable import Notifications

/// Numbers in stored data: reordering the cases must not change their meaning.
@Suite("Numbers in stored accounts")
struct StoredNumberTests {
    @Test("Each case has the number that it always had")
    func numbers() {
        #expect([TrustLevel.clear, .webpush, .mtproto].map(\.rawValue) == [0, 1, 2])
        #expect([PushMessage.Subject.message, .story, .account].map(\.rawValue) == [0, 1, 2])
        let modes: [SourceState.NotifyMode] = [
            .disabled, .sendOnlyOne, .sendOnePerConversation, .applePushNotification,
        ]
        #expect(modes.map(\.rawValue) == [0, 1, 2, 3])
        #expect(modes == SourceState.NotifyMode.allCases)
        let groups: [NotificationGroup.Kind] = [.messages, .mentions, .secretChat, .calls]
        #expect(groups.map(\.rawValue) == [0, 1, 2, 3])
        let chats: [Chat.Kind] = [.privateChat, .basicGroup, .supergroup, .channel, .secret]
        #expect(chats.map(\.rawValue) == [0, 1, 2, 3, 4])
        let scopes: [ScopeNotificationSettings.Scope] = [.privateChats, .groupChats, .channelChats]
        #expect(scopes.map(\.rawValue) == [0, 1, 2])
        #expect(scopes == ScopeNotificationSettings.Scope.allCases)
    }

    @Test("Each kind of content has the number that it always had")
    func contents() {
        let kinds: [PushContent.Kind] = [
            .hidden, .animation, .audio, .contact, .contactRegistered, .document, .game, .gameScore,
            .invoice, .location, .photo, .poll, .premiumGiftCode, .giveaway, .gift, .upgradedGift,
            .screenshotTaken, .sticker, .story, .text, .checklist, .video, .videoNote, .voiceNote,
            .basicGroupChatCreate, .videoChatStarted, .videoChatEnded, .inviteVideoChatParticipants,
            .chatAddMembers, .chatChangePhoto, .chatChangeTitle, .chatSetBackground, .chatSetTheme,
            .chatDeleteMember, .chatJoinByLink, .chatJoinByRequest, .recurringPayment,
            .suggestProfilePhoto, .suggestBirthdate, .proximityAlertTriggered, .checklistTasksAdded,
            .checklistTasksDone, .pollOptionAdded, .messageForwards, .mediaAlbum, .paidMedia,
        ]
        #expect(kinds.map { Int($0.rawValue) } == Array(kinds.indices))
        #expect(kinds == PushContent.Kind.allCases)
        let flags: [PushContent.Flags] = [
            .isPinned, .isLive, .isSecret, .isRegular, .isMention, .isCurrentUser, .isReturned,
            .isLeft, .isSame, .isUpgrade, .isPrepaidUpgrade, .isPremium, .hasPhotos, .hasVideos,
            .hasAudios, .hasDocuments,
        ]
        #expect(flags.map(\.rawValue) == (0..<16).map { 1 << $0 })
    }

    @Test("Options are kept by number")
    func options() {
        let values: [OptionValue] = [.empty, .boolean(true), .integer(1), .string("a")]
        let bytes = values.map { value in
            var coder = Coder()
            _ = coder.coded(value)
            return coder.written.first
        }
        #expect(bytes == [0, 1, 2, 3])
    }
}
