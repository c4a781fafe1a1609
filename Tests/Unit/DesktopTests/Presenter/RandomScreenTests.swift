import TestSupport
import Testing

@testable import Desktop

@Suite("The presenter under random events")
struct RandomScreenTests {
    /// The engine's list, and the ids that are gone for good.
    private struct Engine {
        var alive: Set<Int> = []
        var last = 0
    }

    @Test(
        "Nothing sounds twice, a kill leads to one silent repeat, removals disappear",
        arguments: 0..<300)
    func story(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var screen = Screen()
        var engine = Engine()
        var breaks = 0
        for _ in 0..<60 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<4:
                engine.last += 1
                engine.alive.insert(engine.last)
                try screen.group(added: [Screen.push(engine.last, "#\(engine.last)#")])
            case 4, 5:
                guard let gone = engine.alive.sorted().randomElement(using: &random) else { break }
                engine.alive.remove(gone)
                try screen.group(removed: [gone], sound: 0)
            case 6 where screen.identity != nil:
                guard let id = screen.visible.keys.sorted().randomElement(using: &random) else {
                    break
                }
                screen.user(closes: id, reason: .random(in: 1...3, using: &random))
            case 7:
                breaks += 1
                screen.serverVanishes()
            case 8:
                breaks += 1
                screen.serverAppears(owner: ":1.\(breaks)", start: UInt64(breaks))
            case 9:
                breaks += 1
                screen.restart(isDelivered: .random(using: &random))
                if let identity = screen.identity {
                    screen.serverAppears(owner: identity.owner, start: identity.processStart)
                }
                try screen.active([(1, engine.alive.sorted().map { Screen.push($0, "#\($0)#") })])
            case 10:
                screen.holdsAnswers.toggle()
                while !screen.held.isEmpty, !screen.holdsAnswers { screen.answer() }
            default: screen.elapse(.milliseconds(.random(in: 1...3000, using: &random)))
            }
        }
        screen.holdsAnswers = false
        while !screen.held.isEmpty { screen.answer() }
        if screen.identity == nil { screen.serverAppears(owner: ":1.x", start: 1) }
        screen.elapse(.seconds(6))
        screen.elapse(.seconds(6))
        for id in 1...max(engine.last, 1) {
            let calls = screen.calls.filter { $0.body == "#\(id)#" }
            #expect(calls.count { $0[hint: "suppress-sound"] == nil } <= 1)
            #expect(calls.count <= 1 + breaks)
        }
        let bodies = Set(engine.alive.map { "#\($0)#" })
        let left = screen.bodies.filter { $0.hasPrefix("#") }
        #expect(bodies.isSuperset(of: left) && Set(left).count == left.count)
        // The screen shows exactly what the records say.
        let shown = screen.records.values.filter { $0.place == .shown }.map(\.serverID)
        #expect(Set(shown) == Set(screen.visible.keys))
        try screen.active([])
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }
}
