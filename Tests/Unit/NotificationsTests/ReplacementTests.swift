import Testing
@testable import Notifications

/// Payloads that change notifications: replace, retract, count.
@Suite("Replacing and retracting")
struct ReplacementTests {
    private func zpns(_ text: String, _ own: String, isMutable: Bool = true) -> String {
        let own = own.replacing("\"", with: "\\\"")
        return
            #"{"aps":{"alert":"\#(text)","mutable-content":\#(isMutable ? 1 : 0)},"payload":"\#(own)"}"#
    }

    @Test("A name replaces its notification in place, without a sound")
    func replace() {
        var story = Story()
        story.push(zpns("one", #"{"customId":"1"}"#), dialect: .zpns)
        story.push(zpns("two", #"{"customId":"2"}"#), dialect: .zpns)
        _ = story.takeGroups()
        story.push(zpns("ONE", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["ONE", "two"]] && story.takeGroups().isEmpty)
        #expect(story.client.visible == Client.visible(story.engine))
    }

    @Test(
        "A replacement removes the old notification and appears as new, with a sound; the count stays"
    )
    func anew() {
        var story = Story()
        story.anew("one", name: "1")
        story.anew("two", name: "2")
        _ = story.takeGroups()
        story.anew("ONE", name: "1")
        #expect(story.shown == [["two", "ONE"]])
        let updates = story.takeGroups()
        #expect(updates.count == 1 && updates.first?.soundID == -1)
        #expect(updates.first?.removed == [1] && updates.first?.added.map(\.id) == [3])
        #expect(updates.first?.totalCount == 2)
        // And again, under the name that it has now.
        story.anew("Uno", name: "1")
        #expect(story.shown == [["two", "Uno"]])
    }

    @Test("Replacing the only notification of a group leaves other groups in place")
    func anewAlone() {
        var story = Story(.learn, count: 1, size: 1)
        story.text("first", id: 11)
        story.anew("one", name: "1")
        story.anew("ONE", name: "1")
        #expect(story.shown == [["ONE"]] && story.engine.activeGroups[0].totalCount == 1)
        #expect(story.client.visible == Client.visible(story.engine))
    }

    @Test("A replacement brings a hidden group up, without the notification that nobody saw")
    func anewHidden() {
        var story = Story(.learn, count: 1)
        story.anew("one", name: "1")
        story.pass(1)
        story.text("first", id: 11)
        story.pass(1)
        #expect(story.shown == [["first"]])
        story.updates = []
        story.anew("ONE", name: "1")
        #expect(story.shown == [["ONE"]])
        #expect(story.takeGroups().map(\.removed) == [[2], []])
    }

    @Test(
        "Replacing any of many notifications announces the shown ones correctly",
        arguments: 1...6, [1, 2, 3, 10])
    func anewAnywhere(name: Int, size: Int64) {
        var story = Story(.learn, count: 2, size: size)
        for number in 1...6 {
            story.anew("\(number)", name: "\(number)")
        }
        for _ in 0..<2 {
            story.anew("new", name: "\(name)")
            #expect(story.client.visible == Client.visible(story.engine))
            #expect(story.engine.activeGroups.first?.totalCount == 6)
            #expect(story.shown.first?.last == "new")
        }
    }

    @Test("A message that must not ring replaces the old one in place")
    func replaceQuietly() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne"}"#)
        story.push(zpns("one", #"{"customId":"1"}"#), dialect: .zpns)
        _ = story.takeGroups()
        story.push(zpns("ONE", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["ONE"]] && story.takeGroups().isEmpty)
    }

    @Test("A push with a name and no text removes the notification and frees the name")
    func wordless() {
        var story = Story()
        let end = #"{"aps":{"mutable-content":1},"payload":"{\"customId\":\"1\"}"}"#
        story.push(zpns("a", #"{"customId":"1"}"#), dialect: .zpns)
        story.push(end, dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(end, dialect: .zpns)
        story.push(zpns("b", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["b"]])
    }

    @Test("Without the mark both notifications stay")
    func beside() {
        var story = Story()
        for text in ["a", "b"] {
            story.push(zpns(text, #"{"customId":"1"}"#, isMutable: false), dialect: .zpns)
        }
        #expect(story.shown == [["a", "b"]])
    }

    @Test("A dismissed notification is shown again when it is replaced")
    func dismissed() throws {
        var story = Story()
        story.push(zpns("a", #"{"customId":"1"}"#), dialect: .zpns)
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        story.push(zpns("b", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["b"]] && story.engine.account.lastNotificationID == 2)
    }

    @Test("A retraction removes the message, or drops it if it arrives within ten minutes")
    func retract() {
        var story = Story()
        let retraction = zpns("", #"{"customId":"1","retract":true}"#)
        story.push(zpns("a", #"{"customId":"1"}"#), dialect: .zpns)
        story.push(retraction, dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(zpns("late", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(retraction, dialect: .zpns)
        story.pass(601)
        story.push(zpns("new", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["new"]])
    }

    @Test("An older replacement does not overwrite a newer one")
    func order() {
        var story = Story()
        for (text, time) in [("b", 2), ("a", 1), ("c", 3)] {
            story.push(
                zpns(text, #"{"customId":"1","timestamp":\#(time)}"#), dialect: .zpns)
        }
        #expect(story.shown == [["c"]])
    }

    private func call(_ text: String, _ more: String = "") -> String {
        zpns(text, #"{"customId":"1","type":"call"\#(more)}"#)
    }

    @Test("An invitation to a call rings, and its cancellation ends that and leaves the name free")
    func call() {
        var story = Story()
        story.push(call("Ann calls"), dialect: .zpns)
        #expect(story.shown == [["call"]] && story.takeGroups().map(\.soundID) == [-1])
        // A repetition leaves it ringing.
        story.push(call("Ann calls"), dialect: .zpns)
        #expect(story.shown == [["call"]] && story.takeGroups().isEmpty)
        story.push(zpns("cancelled", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.shown == [["cancelled"]] && story.engine.account.calls.isEmpty)
        // The next call has the same name.
        story.push(call("Ann calls again"), dialect: .zpns)
        #expect(story.shown == [["call"]] && story.engine.account.calls.count == 1)
        // The text of a cancellation may also be marked as a call.
        story.push(call("Ann gave up"), dialect: .zpns)
        #expect(story.shown == [["Ann gave up"]] && story.engine.account.calls.isEmpty)
        story.push(call("Ann calls"), dialect: .zpns)
        story.push(zpns("", #"{"customId":"1"}"#), dialect: .zpns)
        #expect(story.engine.account.calls.isEmpty)
        #expect(!story.shown.joined().contains("call"))
    }

    @Test("A call retracted before it arrived does not ring, nor does an older one")
    func lateCall() {
        var story = Story()
        story.push(zpns("", #"{"customId":"1","retract":true}"#), dialect: .zpns)
        story.push(call("Ann calls"), dialect: .zpns)
        #expect(story.shown.isEmpty)
        story.push(call("Ann calls", #","timestamp":5"#), dialect: .zpns)
        story.push(zpns("cancelled", #"{"customId":"1","timestamp":7}"#), dialect: .zpns)
        story.push(call("Ann calls", #","timestamp":6"#), dialect: .zpns)
        #expect(story.shown == [["cancelled"]])
        // Retracted while it rings, it does not ring again.
        story.push(call("Ann calls", #","timestamp":8"#), dialect: .zpns)
        #expect(story.shown == [["call"]])
        story.push(zpns("", #"{"customId":"1","retract":true}"#), dialect: .zpns)
        story.push(call("Ann calls", #","timestamp":8"#), dialect: .zpns)
        #expect(story.shown.isEmpty)
    }

    @Test("Two calls may ring at once")
    func twoCalls() {
        var story = Story()
        story.push(call("Ann calls"), dialect: .zpns)
        story.push(zpns("Bob calls", #"{"customId":"2","type":"call"}"#), dialect: .zpns)
        #expect(story.engine.account.calls.count == 2)
        story.pass(61)
        #expect(Set(story.shown.joined()) == ["Ann calls", "Bob calls"])
    }

    @Test("A badge of 0 clears the screen, any other number shows nothing")
    func badge() {
        var story = Story()
        story.push(
            #"{"notification":{"event_id":"$a","room_id":"!r","content":{"body":"x"}}}"#,
            dialect: .matrix)
        story.push(#"{"notification":{"counts":{"unread":4}}}"#, dialect: .matrix)
        #expect(story.shown == [["x"]])
        story.push(#"{"notification":{"counts":{}}}"#, dialect: .matrix)
        #expect(story.shown.isEmpty)
    }

    @Test(
        "The modes of a source decide how often it rings",
        arguments: [
            (SourceState.NotifyMode.disabled, 0), (.sendOnlyOne, 1),
            (.sendOnePerConversation, 2), (.applePushNotification, 4),
        ])
    func modes(mode: SourceState.NotifyMode, rings: Int) throws {
        var story = Story()
        story.engine.account.source.notifyMode = mode
        for (sender, text) in [("1", "a"), ("2", "b"), ("1", "c"), ("2", "d")] {
            story.push(
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["\#(sender)","9","\#(text)"]},"sound":"IM"}}"#,
                dialect: .icq)
        }
        #expect(story.takeGroups().filter { $0.soundID != 0 }.count == rings)
        guard mode == .sendOnlyOne else { return }
        // After the user has dealt with it, it may ring again.
        try story.request(
            #"{"@type":"removeNotification","notification_group_id":1,"notification_id":1}"#)
        story.push(
            #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","e"]},"sound":"IM"}}"#,
            dialect: .icq)
        #expect(story.takeGroups().contains { $0.soundID != 0 })
    }

    @Test("It may ring again after its messages were fetched")
    func fetched() throws {
        var story = Story()
        try story.request(#"{"@type":"bellwire.setSource","notify_mode":"sendOnlyOne"}"#)
        func rings(_ text: String) -> Int {
            story.push(
                #"{"aps":{"alert":{"loc-key":"IM2","loc-args":["3","9","\#(text)"]},"sound":"IM"}}"#,
                dialect: .icq)
            return story.takeGroups().count { $0.soundID != 0 }
        }
        #expect(rings("a") == 1 && rings("b") == 0)
        try story.request(#"{"@type":"bellwire.setSource","fetched":true}"#)
        #expect(rings("c") == 1 && rings("d") == 0)
    }

    @Test("A session ends after its time without activity; another client pauses ringing")
    func session() throws {
        var story = Story()
        story.engine.account.source.sessionTimeout = 100
        try story.request(#"{"@type":"bellwire.setSource","fetched":true}"#)
        #expect(story.engine.session(now: story.now).isOnline)
        try story.request(#"{"@type":"bellwire.setSource","paused":true}"#)
        #expect(!story.engine.session(now: story.now).isOnline)
        story.text("quiet", id: 11)
        #expect(story.takeGroups().map(\.soundID) == [0])
        story.push(call("Ann calls"), dialect: .zpns)
        #expect(story.takeGroups().map(\.soundID) == [0])
        #expect(story.engine.account.calls.count == 1)
        story.pass(101)
        #expect(!story.engine.session(now: story.now).isOnline)
    }

    @Test("After the end of a session nothing is shown in any mode until the user returns")
    func endedSession() throws {
        for mode in ["applePushNotification", "sendOnePerConversation", "disabled"] {
            var story = Story()
            try story.request(
                #"{"@type":"bellwire.setSource","notify_mode":"\#(mode)","session_timeout":100}"#)
            story.pass(101)
            story.text("unheard", id: 11)
            story.push(call("Ann calls"), dialect: .zpns)
            #expect(story.shown.isEmpty && story.engine.account.calls.isEmpty)
            try story.request(#"{"@type":"bellwire.setSource"}"#)
            story.text("heard", id: 12)
            #expect(story.shown == (mode == "disabled" ? [] : [["heard"]]))
        }
    }
}

extension Story {
    /// A message that replaces the one of its name and appears like any other, as ICQ's summaries do.
    fileprivate mutating func anew(_ text: String, name: String) {
        var message = IncomingMessage(
            chat: .conversation("anew"), content: PushContent(.text, text: text))
        (message.name, message.replacement) = (name, .anew)
        _ = engine.process([.message(message)], level: .webpush, id: "", now: now)
        settle()
    }
}
