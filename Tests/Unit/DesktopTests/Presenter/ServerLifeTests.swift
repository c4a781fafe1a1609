import Testing

@testable import Desktop

@Suite("Restarts of notification servers and desktops")
struct ServerLifeTests {
    let key = ShownKey("telegram/me", 1, 1)

    @Test("Without a server nothing is lost: it is shown, and sounds, when one appears")
    func headless() throws {
        var screen = Screen()
        try screen.group(added: [Screen.push(1)])
        #expect(screen.others == [.startServer] && screen.calls.isEmpty)
        screen.handle(.serverUnavailable)
        try screen.group(added: [Screen.push(2)])
        #expect(screen.others == [.startServer], "it is not asked again at once")
        #expect(screen.presenter.deadline(at: screen.now) == nil, "nobody is woken for nothing")
        screen.elapse(.seconds(59))
        #expect(screen.others == [.startServer])
        screen.elapse(.seconds(1))
        #expect(screen.others == [.startServer, .startServer])
        screen.serverAppears()
        #expect(screen.visible.count == 2 && screen.sounding.count == 2)
    }

    @Test("Another server shows everything again, silently and with its own ids")
    func anotherServer() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...3 { try screen.group(added: [Screen.push(id, "\(id)")]) }
        screen.user(closes: 3, reason: 1)
        screen.serverVanishes()
        screen.serverAppears(owner: ":1.8", start: 9)
        #expect(screen.bodies == ["1", "2"], "in order, and not what had expired")
        #expect(
            screen.sounding.count == 3 && screen.calls.suffix(2).allSatisfy { $0.replacesID == 0 })
        try screen.group(removed: [1, 2, 3])
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }

    @Test("If a server vanishes during a call, the call is repeated silently")
    func vanishesInFlight() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.serverVanishes()
        screen.holdsAnswers = false
        screen.serverAppears(owner: ":1.8")
        #expect(screen.visible.count == 1 && screen.sounding.count == 1)
    }

    @Test("A call that reached nobody may sound when it is repeated")
    func undelivered() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.handle(.notifyFailed(ticket: 1, .undelivered))
        #expect(screen.presenter.deadline(at: screen.now) == screen.now + .seconds(5))
        screen.elapse(.seconds(5))
        #expect(screen.sounding.count == 2 && screen.records[key]?.place == .showing)
    }

    @Test("A refused notification is tried three times, then the others are shown")
    func refuses() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1, "bad"), Screen.push(2, "good")])
        for ticket in 1...3 {
            screen.handle(.notifyFailed(ticket: ticket, .refused))
            screen.elapse(.seconds(5))
        }
        #expect(screen.calls.map(\.body) == ["bad", "bad", "bad", "good"])
        #expect(screen.records[key]?.place == .listed)
    }

    @Test("After a restart, shown notifications are repeated in place without a sound")
    func restart() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1), Screen.push(2)])
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [Screen.push(1), Screen.push(2)])])
        #expect(screen.calls.map(\.replacesID) == [0, 0, 1, 2] && screen.sounding.count == 2)
        try screen.active([(1, [Screen.push(1), Screen.push(2)])])
        #expect(screen.calls.count == 4)
        screen.user(closes: 2)
        #expect(screen.requests == [.remove(group: 1, notification: 2)])
    }

    @Test("Changes while the desktop was away are shown in place; removed ones are closed")
    func changedMeanwhile() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...3 { try screen.group(added: [Screen.push(id)]) }
        screen.restart()
        // The engine may be there before the server.
        try screen.active([(1, [Screen.push(2, "New words"), Screen.push(4, "Missed")])])
        screen.serverAppears()
        #expect(screen.bodies == ["New words", "Missed"])
        #expect(screen.calls.suffix(2).map(\.replacesID).contains(2))
        #expect(Set(screen.records.keys.map(\.notification)) == [2, 4])
        #expect(screen.sounding.map(\.body) == ["Hello", "Hello", "Hello", "Missed"])
    }

    @Test("The same holds if the server is there before the engine")
    func serverFirst() throws {
        var screen = Screen()
        screen.serverAppears()
        for id in 1...2 { try screen.group(added: [Screen.push(id)]) }
        screen.restart()
        screen.serverAppears()
        #expect(screen.visible.count == 2)
        try screen.active([(1, [Screen.push(2)])])
        #expect(screen.visible.count == 1 && screen.calls.count == 3)
    }

    @Test("A kill during a call leads to one silent call with the same tag")
    func killedInFlight() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.restart()
        screen.holdsAnswers = false
        screen.serverAppears()
        try screen.active([(1, [Screen.push(1)])])
        #expect(screen.calls.count == 2 && screen.sounding.count == 1)
        let tags = screen.calls.map { $0[hint: "x-dunst-stack-tag"] }
        #expect(tags[0] != nil && tags[0] == tags[1])
    }

    @Test("A notification removed during its call is closed by its tag")
    func removedAfterKill() throws {
        for (capabilities, count) in [(Screen.dunst, 2), (["body"], 1)] {
            var screen = Screen()
            screen.holdsAnswers = true
            screen.serverAppears(capabilities)
            try screen.group(added: [Screen.push(1)])
            screen.restart()
            screen.holdsAnswers = false
            try screen.active([])
            screen.serverAppears(capabilities)
            #expect(screen.calls.count == count && screen.records.isEmpty)
            let tags = screen.calls.map { $0[hint: "x-dunst-stack-tag"] }
            #expect(tags.allSatisfy { $0 == tags[0] })
            #expect(screen.visible.isEmpty)
        }
    }

    @Test("A doubt lasts until an answer arrives or the server ends")
    func doubts() throws {
        var screen = Screen()
        screen.holdsAnswers = true
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.restart()
        screen.restart()
        #expect(screen.records[key]?.place == .showing)
        screen.serverAppears(start: 6)
        try screen.active([])
        #expect(screen.calls.count == 1 && screen.records.isEmpty)
    }

    @Test("Ids of a server that ended while the desktop was away are ignored")
    func bothWent() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1), Screen.push(2)])
        screen.restart()
        screen.serverAppears(start: 6)
        #expect(screen.calls.count == 2, "what there is still to show only the engine knows")
        try screen.active([(1, [Screen.push(2)])])
        #expect(screen.visible.count == 1 && screen.sounding.count == 2)
    }

    @Test("An account that is no longer shown leaves nothing on the screen")
    func removedAccount() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.restart([])
        screen.serverAppears()
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }

    @Test("A dismissed notification stays away until the engine confirms it")
    func dismissedOffline() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1), Screen.push(2)])
        screen.user(closes: 1)
        screen.user(chooses: "mark-read", on: 2)
        try screen.active([(1, [Screen.push(1), Screen.push(2)])])
        #expect(
            screen.requests.suffix(2) == [
                .remove(group: 1, notification: 1),
                .act(group: 1, notification: 2, action: "mark_read"),
            ])
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [Screen.push(1)])])
        #expect(
            screen.calls.count == 2 && screen.requests.last == .remove(group: 1, notification: 1))
        try screen.group(removed: [1])
        #expect(screen.records.isEmpty)
    }

    @Test("Only signals of the server about our own notifications count")
    func strangers() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(added: [Screen.push(1)])
        screen.handle(.notificationClosed(id: 1, reason: 2, sender: ":1.66"))
        screen.handle(.actionInvoked(id: 1, key: "default", sender: ":1.66"))
        screen.user(closes: 5)
        screen.user(chooses: "default", on: 5)
        #expect(screen.requests.isEmpty && screen.others.isEmpty)
    }
}
