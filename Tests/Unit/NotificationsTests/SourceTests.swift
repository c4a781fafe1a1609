import Testing
@testable import Notifications

@Suite("A source and how it may ring")
struct SourceTests {
    private let message =
        #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["111","222","hi"]},"badge":3}}"#

    private func presentation(_ story: Story) -> Presentation? {
        guard
            case .newPushMessage(let message) = story.engine.activeGroups.first?.notifications
                .first?.content
        else { return nil }
        return message.presentation
    }

    @Test("The client sets mode, session and presentation; omitted members stay")
    func setSource() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne","session_timeout":100}"#
        )
        try story.request(#"{"@type":"bellwire.setSource"}"#)
        let source = story.engine.account.source
        #expect(source.notifyMode == .sendOnlyOne && source.sessionTimeout == 100)
        #expect(story.engine.session(now: story.now).until == story.now + 100)
        let refused = try story.request(
            #"{"@type":"bellwire.setSource","notify_mode":"always"}"#)
        #expect(refused == .badRequest("Notify mode is unknown"))
    }

    @Test(
        "Modes are accepted in every spelling their source uses",
        arguments: [
            ("Disabled", SourceState.NotifyMode.disabled), ("disabled", .disabled),
            ("SendOnlyOne", .sendOnlyOne), ("sendOnePerConversation", .sendOnePerConversation),
            ("applePushNotification", .applePushNotification),
        ])
    func modeNames(name: String, mode: SourceState.NotifyMode) throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","notify_mode":"\#(name)"}"#)
        #expect(story.engine.account.source.notifyMode == mode)
    }

    @Test("A session can be marked as mobile, and stays so")
    func mobile() throws {
        var story = Story()
        #expect(story.engine.account.source.isMobile)
        try story.request(#"{"@type":"bellwire.setSource","mobile":false}"#)
        try story.restart()
        #expect(!story.engine.account.source.isMobile)
    }

    @Test(
        "A bad badge is refused with the error text for strings",
        arguments: ["\"false\"", "0", "\"0\""])
    func badgeWord(word: String) throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setSource","presentation":{"badge":\#(word)}}"#)
        #expect(!story.engine.account.source.presentation.showsBadge)
    }

    @Test("ICQ: the registration's sound, sentence and action label fill in what the payload omits")
    func presentation() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setSource","presentation":{"sound":"IM","loc_key":"{1} writes: {2}","loc_args":"srcName, message","action_loc_key":"READ","badge":false}}"#
        )
        story.updates = []
        story.push(message, dialect: .icq)
        let shown = try #require(presentation(story))
        #expect(shown.sound == "IM" && shown.defaultAction == "READ")
        #expect(shown.body == "111 writes: hi")
        let hasBadge = story.updates.contains { if case .unreadBadge = $0 { true } else { false } }
        #expect(!hasBadge)
    }

    @Test(
        "A registration with nothing but a sound, or a label, fills that in",
        arguments: [(#""sound":"IM""#, "IM", ""), (#""action_loc_key":"READ""#, "", "READ")])
    func partly(member: String, sound: String, action: String) throws {
        var story = Story()
        try story.request("{\"@type\":\"bellwire.setSource\",\"presentation\":{\(member)}}")
        story.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","hi"],"custom":{"from_id":"5","msg_id":"1"}}"#
        )
        let shown = try #require(presentation(story))
        #expect(shown.sound == sound && shown.defaultAction == action)
    }

    @Test("The registration's sound, label and badge apply to every dialect")
    func looks() throws {
        var story = Story()
        try story.request(
            #"{"@type":"bellwire.setSource","presentation":{"sound":"IM","action_loc_key":"READ","badge":false}}"#
        )
        story.updates = []
        let open =
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","hi"],"badge":3,"custom":{"from_id":"5","msg_id":"1"}}"#
        story.push(open)
        let shown = try #require(presentation(story))
        #expect(shown.sound == "IM" && shown.defaultAction == "READ")
        story.push(
            #"{"web_push":8030,"notification":{"title":"T"},"app_badge":4}"#, dialect: .declarative)
        let hasBadge = story.updates.contains { if case .unreadBadge = $0 { true } else { false } }
        #expect(!hasBadge)
        // Its own setting takes precedence.
        var other = Story()
        try other.request(
            #"{"@type":"bellwire.setSource","presentation":{"sound":"IM"}}"#)
        other.push(
            #"{"loc_key":"MESSAGE_TEXT","loc_args":["Ada","hi"],"sound":"bell.ogg","custom":{"from_id":"5","msg_id":"1"}}"#
        )
        #expect(presentation(other)?.sound.hasPrefix("bell") == true)
    }

    @Test("A disabled source shows nothing but still counts")
    func disabled() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","notify_mode":"disabled"}"#)
        story.push(message, dialect: .icq)
        #expect(story.shown.isEmpty)
        #expect(story.updates.contains(.unreadBadge(count: 3, missedCalls: nil)))
    }

    @Test("The end of a session is announced once, and the user's return begins a new one")
    func session() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","session_timeout":100}"#)
        #expect(story.engine.nextDeadline == story.now + 100)
        story.pass(100)
        story.pass(100)
        let ends = story.updates.filter {
            $0 == .fetchRequired(reason: "session_ended", details: [])
        }
        #expect(ends.count == 1)
        #expect(!story.engine.session(now: story.now).isOnline)
        try story.request(#"{"@type":"bellwire.setOnline","self":true}"#)
        #expect(story.engine.session(now: story.now).isOnline)
    }

    @Test("A session that was never begun does not end, whatever pushes arrive")
    func sessionWithoutBeginning() {
        var story = Story()
        story.engine.account.source.sessionTimeout = 86_400
        #expect(story.engine.nextDeadline == nil)
        story.push(message, dialect: .icq)
        story.pass(86_401)
        #expect(story.engine.nextDeadline == nil)
        #expect(!story.engine.session(now: story.now).isOnline)
    }

    @Test("Conversations that senders make up are forgotten before they fill the memory")
    func conversations() {
        var story = Story(.learn, count: 1, size: 1)
        for number in 0..<25_000 {
            _ = story.engine.process(
                payload: Array(#"{"message":"m","topic":"t\#(number)"}"#.utf8), dialect: .plain,
                level: .webpush, now: story.now)
        }
        _ = story.engine.takeUpdates()
        let account = story.engine.account
        #expect(account.conversations.count < 21_000)
        #expect(account.groups.all.count < 21_000 && account.chats.count < 21_000)
        #expect(story.engine.activeGroups.first?.notifications.count == 1)
        #expect((try? Account(state: account.state)) == account)
    }
}
