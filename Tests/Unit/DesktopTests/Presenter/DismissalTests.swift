import Base
import Notifications
import Testing

@testable import Desktop

/// An engine with several desktops of its owner.
private struct Room {
    private(set) var engine: HostedEngine
    var screens: [Screen]
    /// Those that hear of the engine.
    private var present: Set<Int>
    private var asked: [Int]
    var consent = SourceConsent()

    init(_ count: Int) {
        var account = Account()
        account.options[OptionName.groupCountMax] = .integer(25)
        engine = HostedEngine(
            account, cryptography: .init(secret: { _ in nil }, open: { _, _ in nil }),
            templates: .english, now: 1)
        _ = engine.takeNews()
        (screens, present) = (Array(repeating: Screen(), count: count), Set(0..<count))
        asked = Array(repeating: 0, count: count)
        for index in screens.indices { screens[index].serverAppears() }
    }

    mutating func push(_ text: String, as name: String, isInPlace: Bool = false) throws {
        let sequence = isInPlace ? #","sequence_id":"s""# : ""
        _ = engine.process(
            Array(#"{"message":"\#(text)"\#(sequence)}"#.utf8), .plain, .webpush, name: name,
            now: 2)
        try settle()
    }

    /// What the engine tells, and what the desktops ask of it.
    mutating func settle() throws {
        while true {
            for update in engine.takeNews().updates {
                for index in present { try tell(update, index) }
            }
            let waiting = present.first { screens[$0].requests.count > asked[$0] }
            guard let waiting else { return }
            let request = screens[waiting].requests[asked[waiting]]
            asked[waiting] += 1
            _ = engine.answer(Array(request.json.utf8), now: 3)
        }
    }

    private mutating func tell(_ update: Update, _ index: Int) throws {
        var writer = JSONWriter()
        update.write(to: &writer)
        let document = try JSONDocument(writer.bytes)
        guard let update = EngineMessage(document.root)?.update else { return }
        screens[index].handle(.update(source: "telegram/me", update))
    }

    mutating func leave(_ index: Int) { present.remove(index) }

    mutating func join(_ index: Int) throws {
        asked[index] = screens[index].requests.count
        screens[index].handle(.joined("telegram/me"))
        present.insert(index)
        if consent != SourceConsent() { try tell(.consent(consent), index) }
        for update in engine.engine.welcome() { try tell(update, index) }
        try settle()
    }

    /// The user closes what has this text.
    mutating func close(_ text: String, on index: Int, reason: UInt32 = 2) throws {
        let shown = try #require(screens[index].visible.first { $0.value.call.body == text })
        screens[index].user(closes: shown.key, reason: reason)
        try settle()
    }

    var bodies: [[String]] { screens.map(\.bodies) }
}

extension HostedEngine {
    fileprivate mutating func welcome() -> [Update] { engine.welcome() }
}

@Suite("Dismissed on one of several desktops")
struct DismissalTests {
    @Test("It leaves the others, and no desktop takes that for another dismissal")
    func everywhere() throws {
        var room = Room(3)
        try room.push("a", as: "1")
        try room.push("b", as: "2")
        #expect(room.bodies == [["a", "b"], ["a", "b"], ["a", "b"]])
        try room.close("a", on: 0)
        #expect(room.bodies == [["b"], ["b"], ["b"]])
        #expect(room.screens.map(\.requests.count) == [1, 0, 0])
        // Servers report what they closed at a desktop's wish.
        room.screens[1].handle(.notificationClosed(id: 1, reason: 3, sender: ":1.7"))
        room.screens[1].handle(.notificationClosed(id: 1, reason: 2, sender: ":1.7"))
        try room.settle()
        #expect(room.screens.map(\.requests.count) == [1, 0, 0])
    }

    @Test(
        "Only a close by the user counts, and only from the server",
        arguments: [1, 3, 4] as [UInt32])
    func reasons(reason: UInt32) throws {
        var room = Room(2)
        try room.push("a", as: "1")
        try room.close("a", on: 0, reason: reason)
        room.screens[1].handle(.notificationClosed(id: 1, reason: 2, sender: ":1.8"))
        try room.settle()
        #expect(room.bodies == [[], ["a"]])
        #expect(room.screens.map(\.requests.count) == [0, 0])
    }

    @Test("A desktop that was away neither shows it nor rings, also after a restart")
    func away() throws {
        var room = Room(3)
        try room.push("a", as: "1")
        room.leave(1)
        room.leave(2)
        try room.push("b", as: "2")
        try room.close("a", on: 0)
        try room.close("b", on: 0)
        room.screens[2].restart()
        room.screens[2].serverAppears()
        for index in 1...2 {
            let former = room.screens[index].sounding.count
            try room.join(index)
            #expect(room.screens[index].bodies == [])
            #expect(room.screens[index].sounding.count == former)
        }
        try room.push("c", as: "1")
        #expect(room.bodies == [["c"], ["c"], ["c"]])
    }

    @Test("What was dismissed without a connection is dismissed with the next one")
    func offline() throws {
        var room = Room(2)
        try room.push("a", as: "1")
        room.leave(0)
        try room.close("a", on: 0)
        #expect(room.bodies == [[], ["a"]])
        room.screens[0].restart()
        room.screens[0].serverAppears()
        try room.join(0)
        #expect(room.bodies == [[], []])
    }

    @Test("A topic may leave it on the others, until it is closed there")
    func here() throws {
        var room = Room(2)
        room.consent.dismissal = .here
        for index in 0...1 { try room.join(index) }
        try room.push("a", as: "1")
        try room.push("b", as: "2")
        try room.close("a", on: 0)
        #expect(room.bodies == [["b"], ["a", "b"]])
        room.screens[0].restart()
        room.screens[0].serverAppears()
        try room.join(0)
        #expect(room.bodies == [["b"], ["a", "b"]])
        // What a desktop did before it was told of this is for one screen, too.
        room.leave(1)
        room.screens[1].restart()
        room.screens[1].serverAppears()
        try room.close("b", on: 1)
        try room.join(1)
        #expect(room.bodies == [["b"], ["a"]])
        #expect(room.screens[0].requests.isEmpty)
        // What its sender takes back leaves all.
        room.withdraw("2")
        try room.settle()
        #expect(room.bodies == [[], ["a"]])
    }

    @Test("A later state of what was closed for one screen comes up there anew, without a sound")
    func laterHere() throws {
        var room = Room(2)
        room.consent.dismissal = .here
        for index in 0...1 { try room.join(index) }
        try room.push("10 %", as: "1", isInPlace: true)
        try room.close("10 %", on: 0)
        let former = room.screens.map(\.sounding.count)
        try room.push("50 %", as: "1", isInPlace: true)
        #expect(room.bodies == [["50 %"], ["50 %"]])
        #expect(room.screens.map(\.sounding.count) == former)
        // The same state is none, also after a restart.
        try room.close("50 %", on: 0)
        try room.push("50 %", as: "1", isInPlace: true)
        #expect(room.bodies == [[], ["50 %"]])
        room.screens[0].restart()
        room.screens[0].serverAppears()
        try room.join(0)
        #expect(room.bodies == [[], ["50 %"]])
        try room.push("90 %", as: "1", isInPlace: true)
        #expect(room.bodies == [["90 %"], ["90 %"]])
        #expect(room.screens[0].requests.isEmpty)
    }

    @Test("A summary that is closed for one screen stays away there")
    func summary() throws {
        var room = Room(2)
        room.consent.dismissal = .here
        for index in 0...1 { try room.join(index) }
        for number in 0..<15 { try room.push("\(number)", as: "\(number)") }
        // It says no more than once a second how many there are.
        for index in 0...1 { room.screens[index].elapse(.seconds(2)) }
        let summary = try #require(room.screens[0].visible.max { $0.key < $1.key }).value.call
        #expect(summary.summary == "5 more notifications")
        let former = room.bodies[0]
        try room.close(summary.body, on: 0)
        #expect(room.bodies == [former.dropLast(), former])
        room.screens[0].restart()
        room.screens[0].serverAppears()
        try room.join(0)
        #expect(room.bodies == [former.dropLast(), former])
        #expect(room.screens[0].requests.isEmpty)
    }
}

extension Room {
    fileprivate mutating func withdraw(_ name: String) {
        engine.withdraw(name: name, .webpush, now: 4)
    }
}
