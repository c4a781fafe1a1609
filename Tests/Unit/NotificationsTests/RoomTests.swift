import Base
import TestSupport
import Testing
@testable import Notifications

@Suite("Bounds on what senders can add")
struct RoomTests {
    private func message(_ user: Int, _ id: Int = 1) -> String {
        #"{"loc_key":"MESSAGE_TEXT","loc_args":["Zoe","hi"],"custom":{"from_id":"\#(user)","#
            + #""msg_id":"\#(id)"}}"#
    }

    // Takes minutes with a sanitizer, on one thread.
    @Test(
        "Beyond 40,000 chats, those known only from pushes and with nothing to show are forgotten",
        .disabled(if: OwnMemory.isSanitized))
    func chats() throws {
        var engine = Engine()
        engine.start(now: 1_000)
        engine.account.options[OptionName.groupCountMax] = .integer(25)
        _ = engine.handle(
            try JSONDocument(Array(#"{"@type":"bellwire.setChat","chat_id":7}"#.utf8)).root,
            now: 1_000)
        // What is muted gets no group.
        let mute =
            #"{"@type":"setScopeNotificationSettings","scope":{"@type":"notificationSettingsScopePrivateChats"},"#
            + #""notification_settings":{"mute_for":1000000}}"#
        _ = engine.handle(try JSONDocument(Array(mute.utf8)).root, now: 1_000)
        var most = 0
        for user in 100..<42_000 {
            let text = Array(message(user).utf8)
            _ = engine.process(payload: text, dialect: .telegram, level: .mtproto, now: 1_000)
            most = max(most, engine.account.chats.count)
        }
        #expect(most > 35_000 && most <= 40_256)
        #expect(engine.account.chats[ChatID(7)] != nil)
    }

    @Test("The latest thousand announcements are remembered")
    func announcements() {
        var engine = Engine()
        engine.start(now: 1_000)
        for id in 1...1_100 {
            engine.announce(Int64(id), text: "news", level: .mtproto)
        }
        #expect(engine.account.announcements.count == 1_000)
        #expect(engine.account.announcements[1_100] != nil)
    }

    @Test("While its client fetches, 256 updates of a group or a megabyte wait, and no more")
    func updates() {
        var queue = UpdateQueue()
        func add(_ source: Int) {
            let content = Notification.Content.newMessage(
                StoredMessage(id: ChatMessageID(1), source: [UInt8](repeating: 0, count: source)),
                showsPreview: true)
            let notification = Notification(
                id: 1, date: 1, isSilent: false, content: content, level: .mtproto)
            _ = queue.append(.edit(notification), for: 1, now: 50, isFetching: true)
        }
        for _ in 1..<256 { add(10) }
        #expect(queue.nextDue == 110)
        add(10)
        #expect(queue.nextDue == 50)
        queue = UpdateQueue()
        add(1 << 20)
        #expect(queue.nextDue == 50)
    }

    @Test("A host without room for the account forgets groups that are not shown")
    func makeRoom() throws {
        var story = Story()
        for user in 1...200 { story.push(message(user)) }
        let shown = story.shown
        let before = story.engine.account.state.count
        story.engine.makeRoom()
        #expect(story.engine.account.state.count < before * 6 / 10)
        #expect(story.shown == shown)
        try story.restart()
        #expect(story.shown == shown)
    }

    @Test("The names of what is forgotten are forgotten with it")
    func names() {
        var story = Story()
        for number in 1...20 {
            story.push(
                #"{"aps":{"alert":"m","thread-id":"t\#(number)"},"payload":"{\"customId\":\"\#(number)\"}"}"#,
                dialect: .zpns)
        }
        #expect(story.engine.account.names.count == 20)
        story.engine.makeRoom()
        let account = story.engine.account
        #expect(account.groups.all.count == 10 && account.names.count == 10)
        #expect(account.names.values.allSatisfy { account.groups[$0.groupID] != nil })
    }
}
