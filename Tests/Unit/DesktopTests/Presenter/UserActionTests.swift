import Base
import Notifications
import System
import Testing

@testable import Desktop

@Suite("What the user does with a notification")
struct UserActionTests {
    static let actions =
        #","actions":[{"action":"go","title":"Go","navigate":"https://go/"},"#
        + #"{"action":"run","title":"Run"}]"#

    private func screen(
        _ more: String = "", outside: String = "", _ source: PresentedSource = Screen.account
    ) throws -> Screen {
        var screen = Screen([source])
        screen.serverAppears(Screen.dunst + ["inline-reply"])
        try screen.group(added: [Screen.push(1, more: more, outside: outside)])
        return screen
    }

    private static func choice(_ action: String) -> Choice {
        Choice(source: "telegram/me", chat: 5, message: 1 << 20, action: action)
    }

    @Test("A choice goes to the engine with the activation token")
    func open() throws {
        var screen = try screen()
        screen.user(chooses: "default", on: 1, token: "abc")
        #expect(
            screen.requests == [.act(group: 1, notification: 1, action: "default", token: "abc")])
        #expect(screen.others.isEmpty)
        // Most servers then send a close, which is not another choice.
        screen.user(closes: 1)
        #expect(screen.requests.count == 1)
        try screen.group(removed: [1])
        #expect(screen.records.isEmpty)
    }

    @Test("An early `expired` from MATE's server means that the user closed it")
    func mate() throws {
        func requests(_ vendor: String, after pause: Duration) throws -> Int {
            var screen = Screen()
            screen.serverAppears(name: "Notification Daemon", vendor: vendor, spec: "1.1")
            try screen.group(added: [Screen.push(1)])
            // A change starts its lifetime again.
            screen.now += .seconds(4)
            try screen.group(added: [Screen.push(1, "changed")])
            screen.now += pause
            screen.user(closes: 1, reason: 1)
            return screen.requests.count
        }
        #expect(try requests("MATE", after: .seconds(5)) == 1)
        #expect(try requests("MATE", after: .seconds(7)) == 0)
        #expect(try requests("GNOME", after: .seconds(5)) == 0)
    }

    @Test("An `expired` call was closed by the user, because calls never expire")
    func call() throws {
        var screen = Screen()
        screen.serverAppears(name: "Notification Daemon", vendor: "MATE", spec: "1.1")
        let call = #"{"@type":"notificationTypeNewCall","call_id":5}"#
        try screen.group(added: [Screen.notification(1, type: call)])
        screen.now += .seconds(60)
        screen.user(closes: 1, reason: 1)
        #expect(screen.requests.count == 1)
    }

    @Test("A notification that stays after a choice is closed")
    func resident() throws {
        var screen = try screen()
        screen.user(chooses: "mark-read", on: 1)
        try screen.group(removed: [1])
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }

    @Test("A token belongs to one choice of the notification that it names")
    func tokens() throws {
        var screen = try screen()
        try screen.group(added: [Screen.push(2), Screen.push(3)])
        screen.handle(.activationToken(id: 1, token: "abc", sender: ":1.7"))
        screen.user(chooses: "default", on: 2)
        screen.user(chooses: "default", on: 1)
        #expect(
            screen.requests == [
                .act(group: 1, notification: 2, action: "default"),
                .act(group: 1, notification: 1, action: "default"),
            ])
    }

    @Test("An allowed link of the payload is opened")
    func links() throws {
        var opened = try screen(#","link":"https://x/y""#)
        opened.user(chooses: "default", on: 1, token: "abc")
        let link = try #require(ExternalLink("https://x/y"))
        let choice = Self.choice("default")
        #expect(opened.others == [.open(link: link, choice, token: "abc")])
        #expect(opened.requests == [.act(group: 1, notification: 1, action: "default")])
        for link in [
            "file:///etc/passwd", "http://x", "ftp://x", "-x", "javascript:x", "https://a b",
        ] {
            var refused = try screen(#","link":"\#(link)""#)
            refused.user(chooses: "default", on: 1)
            #expect(refused.others.isEmpty && refused.requests.count == 1, "\(link)")
        }
    }

    @Test("Other links are opened if the application agreed; files never are")
    func consent() throws {
        let schemes = #"["matrix","file","javascript","data","-x"]"#
        let consent = #"{"@type":"bellwire.updateSource","link_schemes":\#(schemes)}"#
        var matrix = try screen(#","link":"matrix:r/x""#)
        try matrix.receive(consent)
        matrix.user(chooses: "default", on: 1)
        let link = try #require(ExternalLink("matrix:r/x"))
        #expect(matrix.others == [.open(link: link, Self.choice("default"), token: nil)])
        for link in ["file:///x", "-x:y", "javascript:x", "data:text/html,x"] {
            var refused = try screen(#","link":"\#(link)""#)
            try refused.receive(consent)
            refused.user(chooses: "default", on: 1)
            #expect(refused.others.isEmpty, "\(link)")
        }
        var another = try screen(#","link":"matrix:r/x""#)
        try another.receive(consent)
        another.handle(.joined("telegram/me"))
        another.user(chooses: "default", on: 1)
        #expect(another.others.isEmpty)
    }

    @Test("Actions of the payload go to the engine by name; servers see our keys only")
    func ownActions() throws {
        var first = try screen(Self.actions)
        #expect(first.calls[0].actions.map(\.key).contains("action-0"))
        #expect(!first.calls[0].actions.map(\.key).contains("go"))
        first.user(chooses: "action-0", on: 1)
        #expect(first.requests == [.act(group: 1, notification: 1, action: "go")])
        let link = try #require(ExternalLink("https://go/"))
        #expect(first.others == [.open(link: link, Self.choice("go"), token: nil)])
        var second = try screen(Self.actions)
        second.user(chooses: "action-1", on: 1)
        #expect(second.requests == [.act(group: 1, notification: 1, action: "run")])
        #expect(second.others.isEmpty)
        var third = try screen(Self.actions)
        third.user(chooses: "action-2", on: 1)
        third.user(chooses: "go", on: 1)
        #expect(third.requests.isEmpty)
    }

    @Test("Muting the chat is sent before the notification is removed")
    func mute() throws {
        for (key, seconds) in [("mute-hour", 3_600), ("mute", Int(Int32.max))] {
            var screen = try screen()
            screen.user(chooses: key, on: 1)
            let requests: [EngineRequest] = [
                .mute(chat: 5, seconds: seconds), .remove(group: 1, notification: 1),
            ]
            #expect(screen.requests == requests)
            // The engine missed it, so it is sent again.
            try screen.active([(1, [Screen.push(1)])])
            #expect(screen.requests == requests + requests)
        }
    }

    @Test("An unencrypted notification can only be dismissed")
    func clear() throws {
        var screen = try screen(Self.actions, outside: #","bellwire.clear":true"#)
        #expect(screen.calls[0].actions.isEmpty)
        for key in ["default", "mark-read", "action-0", "inline-reply"] {
            screen.user(chooses: key, on: 1)
        }
        screen.handle(.replied(id: 1, text: "x", sender: ":1.7"))
        #expect(screen.requests.isEmpty && screen.others.isEmpty)
        screen.user(closes: 1)
        #expect(screen.requests == [.remove(group: 1, notification: 1)])
    }

    @Test("Consent during a call adds the reply after the call")
    func replyUnderWay() throws {
        var screen = Screen()
        screen.serverAppears(Screen.dunst + ["inline-reply"])
        screen.holdsAnswers = true
        try screen.group(added: [Screen.push(1), Screen.push(2)])
        screen.answer()
        try screen.receive(#"{"@type":"bellwire.updateSource","replies":true}"#)
        while !screen.held.isEmpty { screen.answer() }
        let offering = screen.visible.values.filter { shown in
            shown.call.actions.contains { $0.key == "inline-reply" }
        }
        #expect(offering.count == 2)
        #expect(screen.calls.count == 4 && screen.sounding.count == 2)
    }

    @Test("A reply goes to the engine if the application wants replies")
    func replies() throws {
        var screen = try screen()
        try screen.receive(#"{"@type":"bellwire.updateSource","replies":true}"#)
        screen.handle(.replied(id: 1, text: "Yes <b>", sender: ":1.7"))
        #expect(
            screen.requests == [.act(group: 1, notification: 1, action: "reply", text: "Yes <b>")])
        var unwilling = try self.screen()
        unwilling.handle(.replied(id: 1, text: "Yes", sender: ":1.7"))
        #expect(unwilling.requests.isEmpty)
    }

    @Test(
        "What expires, or is closed by a program, stays in the engine's list", arguments: [1, 3, 4])
    func expiry(reason: UInt32) throws {
        var screen = try screen()
        screen.user(closes: 1, reason: reason)
        #expect(screen.requests.isEmpty)
        #expect(screen.records[ShownKey("telegram/me", 1, 1)]?.place == .listed)
        try screen.group(removed: [1])
        #expect(screen.records.isEmpty)
    }

    @Test("A refused action becomes a removal")
    func refusedAction() throws {
        var screen = try screen()
        screen.user(chooses: "default", on: 1)
        let error =
            #"{"@type":"error","code":400,"message":"no","@extra":{"group":1,"notification":1}}"#
        try screen.receive(error)
        #expect(screen.requests.last == .remove(group: 1, notification: 1))
        try screen.receive(error)
        #expect(screen.records.isEmpty && screen.visible.isEmpty)
    }

    @Test("A request that failed temporarily is repeated after a break or a restart")
    func refusedForNow() throws {
        var screen = try screen()
        try screen.receive(#"{"@type":"bellwire.updateSource","replies":true}"#)
        screen.handle(.replied(id: 1, text: "Yes", sender: ":1.7"))
        let reply = EngineRequest.act(group: 1, notification: 1, action: "reply", text: "Yes")
        for code in [429, 503] {
            let error = #""@extra":{"group":1,"notification":1}"#
            let node = try JSONDocument(
                Array(#"{"@type":"error","code":\#(code),\#(error)}"#.utf8)
            ).root
            #expect(EngineMessage(node)?.update == nil)
        }
        #expect(screen.requests == [reply])
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [Screen.push(1)])])
        #expect(screen.requests == [reply, reply])
    }

    @Test("Requests are written as the engine reads them")
    func json() {
        #expect(
            EngineRequest.remove(group: 3, notification: 4).json
                == #"{"@type":"removeNotification","notification_group_id":3,"#
                + #""notification_id":4,"@extra":{"group":3,"notification":4}}"#)
        let reply = EngineRequest.act(
            group: 3, notification: 4, action: "reply", text: "\"", token: "t")
        #expect(
            reply.json
                == #"{"@type":"bellwire.invokeNotificationAction","action":"reply","text":"\"","#
                + #""activation_token":"t","notification_group_id":3,"notification_id":4,"#
                + #""@extra":{"group":3,"notification":4}}"#)
        #expect(
            EngineRequest.mute(chat: -5, seconds: 60).json
                == #"{"@type":"bellwire.muteChat","chat_id":-5,"mute_for":60}"#)
        #expect(
            EngineRequest.actionTaken(id: "7").json
                == #"{"@type":"bellwire.actionTaken","id":"7","@extra":{"taken":"7"}}"#)
        #expect(
            EngineRequest.signalTaken(id: "7").json
                == #"{"@type":"bellwire.signalTaken","id":"7"}"#)
    }
}
