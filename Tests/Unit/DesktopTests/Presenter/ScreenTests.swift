import Testing

@testable import Desktop

@Suite("Notifications on the screen")
struct ScreenTests {
    @Test("A notification comes up once with a sound, and goes when the engine removes it")
    func life() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        #expect(screen.bodies == ["Hello"])
        #expect(screen.visible[1]?.isSilent == false)
        try screen.group(removed: [1], sound: 0)
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
        #expect(screen.calls.count == 1 && screen.requests.isEmpty)
    }

    @Test("A record is `showing` before the call, and `shown` with its id after the answer")
    func records() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        let key = ShownKey("telegram/me", 1, 1)
        #expect(screen.records[key]?.place == .showing && screen.records[key]?.maySound == false)
        screen.answer()
        #expect(screen.records[key]?.place == .shown && screen.records[key]?.serverID == 1)
        #expect(screen.records[key]?.server == screen.identity)
    }

    @Test("An edit replaces the shown notification without a sound")
    func edits() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        try screen.receive(
            #"{"@type":"updateNotification","notification_group_id":1,"notification":"#
                + Screen.push(1, "Changed") + "}")
        #expect(screen.bodies == ["Changed"])
        #expect(screen.calls.map(\.replacesID) == [0, 1] && screen.sounding.count == 1)
    }

    @Test("Edits during a call become one call with the last text")
    func editsInFlight() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        for text in ["a", "b", "c"] {
            try screen.receive(
                #"{"@type":"updateNotification","notification_group_id":1,"notification":"#
                    + Screen.push(1, text) + "}")
        }
        screen.answer()
        screen.answer()
        #expect(screen.calls.map(\.body) == ["Hello", "c"] && screen.held.isEmpty)
    }

    @Test("The id in the server's answer counts, even if it is a new one")
    func newNumber() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.answer()
        try screen.group(added: [Screen.push(1, "b")])
        let ticket = try #require(screen.held.first).ticket
        screen.handle(.notified(ticket: ticket, id: 9))
        #expect(screen.records[ShownKey("telegram/me", 1, 1)]?.serverID == 9)
        screen.user(closes: 9)
        #expect(screen.requests == [.remove(group: 1, notification: 1)])
    }

    @Test("A notification removed during its call is closed when its id is known")
    func removedInFlight() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        try screen.group(removed: [1])
        screen.answer()
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }

    @Test("A notification that returns is listed without coming up")
    func bringsBack() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1), Screen.push(2)])
        try screen.group(removed: [1, 2], sound: 0)
        try screen.group(added: [Screen.push(1)], sound: 0)
        #expect(screen.calls.count == 2 && screen.visible.isEmpty)
        #expect(screen.records[ShownKey("telegram/me", 1, 1)]?.place == .listed)
        // The same after a restart.
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [Screen.push(1), Screen.push(2)])])
        #expect(screen.calls.count == 2)
    }

    @Test("The real message replaces its push in place")
    func realMessage() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1, message: 77)])
        let real = Screen.notification(
            2,
            type: #"""
                {"@type":"notificationTypeNewMessage","show_preview":true,"message":{"id":77,
                "content":{"@type":"messageText","text":{"text":"Hello there"}}}}
                """#)
        try screen.group(added: [real], removed: [1], sound: 0, title: "Alice")
        #expect(screen.bodies == ["Hello there"] && screen.calls.map(\.replacesID) == [0, 1])
        #expect(screen.sounding.count == 1)
        #expect(screen.records.keys.map(\.notification) == [2])
        try screen.group(removed: [2])
        #expect(screen.visible.isEmpty)
    }

    @Test(
        "A silent message, or one of a silent update, comes up without a sound",
        arguments: [(true, 0), (true, -1), (false, 0)])
    func silent(isSilent: Bool, sound: Int) throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1, silent: isSilent)], sound: sound)
        #expect(screen.visible[1]?.isSilent == true)
        #expect(screen.calls[0][hint: "sound-name"] == nil)
    }

    @Test("Ten come up at once, then one per second; a summary counts the rest")
    func bursts() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...30 {
            try screen.group(id % 2 + 1, added: [Screen.push(id, title: id % 2 == 0 ? "A" : "B")])
        }
        #expect(screen.visible.count == 11)
        screen.elapse(.seconds(1))
        let summaries = screen.visible.values.filter { $0.call.summary == "20 more notifications" }
        #expect(summaries.map(\.call.body) == ["A: 10\nB: 10"])
        #expect(summaries.allSatisfy(\.isSilent) && screen.visible.count == 11)
        #expect(screen.calls.count == 12, "the summary was shown once for one, once for all")
        // One second allows one more.
        try screen.group(1, added: [Screen.push(31)])
        #expect(screen.visible.count == 12)
        for group in 1...2 {
            try screen.group(group, removed: (11...30).filter { $0 % 2 + 1 == group }, sound: 0)
        }
        #expect(
            screen.visible.count == 11
                && !screen.records.values.contains { $0.place == .summarised })
    }

    @Test("The summary also counts what made way for newer ones, but nothing that was taken back")
    func evicted() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...40 {
            let gone = id > 25 ? [id - 25] : []
            try screen.group(added: [Screen.push(id)], removed: gone, total: id)
        }
        screen.elapse(.seconds(1))
        // Ten came up, of which the engine has taken all back to make room.
        #expect(screen.visible.values.map(\.call.summary) == ["30 more notifications"])
        try screen.group(removed: [16, 17], sound: 0, total: 38)
        screen.elapse(.seconds(1))
        #expect(screen.visible.values.map(\.call.summary) == ["28 more notifications"])
        screen.user(closes: 11)
        screen.elapse(.seconds(20))
        for id in 41...53 { try screen.group(added: [Screen.push(id)], total: id - 2) }
        screen.elapse(.seconds(1))
        #expect(screen.visible.values.contains { $0.call.summary == "3 more notifications" })
    }

    @Test("The summary does not count what another client has removed")
    func removedElsewhere() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...13 { try screen.group(added: [Screen.push(id)], total: 20 + id) }
        screen.elapse(.seconds(1))
        #expect(screen.visible.values.contains { $0.call.summary == "3 more notifications" })
        // The engine has more than the screen, so its count stays.
        try screen.group(removed: [12], sound: 0, total: 33)
        screen.elapse(.seconds(1))
        #expect(screen.visible.values.contains { $0.call.summary == "2 more notifications" })
    }

    @Test("Dismissing the summary dismisses everything it counts")
    func dismissedSummary() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...13 { try screen.group(added: [Screen.push(id)]) }
        screen.elapse(.seconds(1))
        screen.user(closes: 11)
        #expect(
            screen.requests == (11...13).map { .remove(group: 1, notification: $0) })
        #expect(screen.visible.count == 10)
    }

    @Test("The badge of an application sums its accounts, and is sent when it changes")
    func badges() throws {
        var other = Screen.account
        other = PresentedSource(
            id: "telegram/other", name: "Telegram", desktopEntry: "org.example.Chat")
        var screen = Screen([Screen.account, other])
        let badge = #"{"@type":"bellwire.updateUnreadBadge","count":3,"missed_calls":1}"#
        try screen.receive(badge)
        try screen.receive(badge)
        try screen.receive(badge, source: "telegram/other")
        screen.handle(.sourceEnded("telegram/me"))
        #expect(
            screen.others == [
                .badge(desktopEntry: "org.example.Chat", count: 4),
                .badge(desktopEntry: "org.example.Chat", count: 8),
                .badge(desktopEntry: "org.example.Chat", count: 4),
            ])
    }

    @Test("A restarted desktop clears old badges; a new launcher gets all of them")
    func badgesAnew() throws {
        var screen = Screen()
        try screen.receive(#"{"@type":"bellwire.updateUnreadBadge","count":0}"#)
        let none = PresenterAction.badge(desktopEntry: "org.example.Chat", count: 0)
        #expect(screen.others == [none])
        try screen.receive(#"{"@type":"bellwire.updateUnreadBadge","count":2}"#)
        screen.handle(.launcherAppeared)
        let two = PresenterAction.badge(desktopEntry: "org.example.Chat", count: 2)
        #expect(screen.others == [none, two, two])
        screen.handle(.accountEnded("telegram/me"))
        screen.handle(.launcherAppeared)
        #expect(screen.others == [none, two, two, none])
    }

    @Test("A source added later is shown from its first notification")
    func begunSource() throws {
        var screen = Screen([])
        screen.serverAppears()
        try screen.group(added: [Screen.push(7)])
        #expect(screen.calls.isEmpty)
        screen.handle(.sourceBegan(Screen.account))
        try screen.group(added: [Screen.push(7)])
        screen.handle(.sourceEnded("telegram/me"))
        screen.handle(.sourceBegan(Screen.account))
        try screen.group(added: [Screen.push(1)])
        #expect(screen.visible.count == 1 && screen.calls.count == 2)
        #expect(screen.visible.values.first?.isSilent == false)
    }

    @Test("The first notification of a recreated account comes up", arguments: [true, false])
    func accountAnew(isRestarted: Bool) throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(7)])
        screen.handle(.accountEnded("telegram/me"))
        #expect(screen.visible.isEmpty && screen.highest.isEmpty)
        if isRestarted {
            screen.restart()
            screen.serverAppears()
        }
        try screen.group(added: [Screen.push(1)])
        #expect(screen.visible.count == 1)
    }

    @Test("A source can change its settings without ending")
    func changedSource() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        var other = Screen.account
        other.service = "org.example.Other"
        screen.handle(.sourceBegan(other))
        #expect(screen.visible.count == 1)
        let id = try #require(screen.visible.keys.first)
        screen.user(chooses: "default", on: id)
        #expect(screen.calls.count == 1)
    }

    @Test("When a source ends, its notifications disappear")
    func endedSource() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...13 { try screen.group(added: [Screen.push(id)]) }
        screen.handle(.sourceEnded("telegram/me"))
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }
}
