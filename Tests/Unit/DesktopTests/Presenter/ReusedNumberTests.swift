import System
import TestSupport
import Testing

@testable import Desktop

@Suite("Notification ids that are used again")
struct ReusedNumberTests {
    @Test("The same id in two groups is two independent notifications")
    func twoGroups() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(1, chat: 1, added: [Screen.push(7, "from Ada")])
        try screen.group(2, chat: 2, added: [Screen.push(7, "from Bob")])
        #expect(screen.bodies == ["from Ada", "from Bob"] && screen.sounding.count == 2)
        screen.user(chooses: "default", on: 2)
        #expect(screen.requests == [.act(group: 2, notification: 7, action: "default")])
        try screen.group(2, chat: 2, removed: [7])
        #expect(screen.bodies == ["from Ada"])
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [Screen.push(7, "from Ada")])], chat: 1)
        #expect(screen.bodies == ["from Ada"])
    }

    @Test("A lower id in a new group comes up; one that returns does not")
    func lowerNumber() throws {
        var screen = Screen()
        screen.serverAppears()
        try screen.group(1, chat: 1, added: [Screen.push(9)])
        try screen.group(2, chat: 2, added: [Screen.push(1, "new")])
        #expect(screen.bodies == ["Hello", "new"])
        try screen.group(1, chat: 1, removed: [9])
        try screen.group(1, chat: 1, added: [Screen.push(9)], sound: 0)
        #expect(screen.bodies == ["new"])
        // The group belongs to another chat from now on.
        try screen.group(1, chat: 3, added: [Screen.push(2, "other chat")])
        #expect(screen.bodies == ["new", "other chat"])
    }

    /// A chat's notifications by their ids.
    private struct Chat {
        var group: Int
        var bodies: [Int: String] = [:]
    }

    @Test(
        "Reused ids never show or answer a push of another chat",
        arguments: 0..<300)
    func story(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var screen = Screen()
        screen.serverAppears(Screen.dunst)
        var chats: [Int: Chat] = [:]
        var (nextID, text, breaks) = (1, 0, 0)
        for _ in 0..<80 {
            let chat = Int.random(in: 1...5, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5:
                // A group's id is unique, and the ids in it grow while it exists.
                if chats[chat]?.bodies.isEmpty != false {
                    let taken = Set(chats.values.filter { !$0.bodies.isEmpty }.map(\.group))
                    let free = (1...7).filter { !taken.contains($0) }
                    chats[chat] = Chat(group: free.randomElement(using: &random) ?? 8)
                }
                guard let group = chats[chat]?.group else { continue }
                let last = chats[chat]?.bodies.keys.max() ?? 0
                let id = max(nextID, last + 1)
                (nextID, text) = (id + 1, text + 1)
                chats[chat]?.bodies[id] = "chat \(chat) text \(text)"
                try screen.group(
                    group, chat: chat, added: [Screen.push(id, "chat \(chat) text \(text)")])
            case 5, 6:
                guard let known = chats[chat],
                    let id = known.bodies.keys.sorted().randomElement(using: &random)
                else { continue }
                chats[chat]?.bodies[id] = nil
                try screen.group(known.group, chat: chat, removed: [id], sound: 0)
            case 7: nextID = 1  // drop_notification_ids
            case 8:
                guard let id = screen.visible.keys.sorted().randomElement(using: &random),
                    let body = screen.visible[id]?.call.body, body.hasPrefix("chat")
                else { continue }
                let count = screen.requests.count
                screen.user(chooses: "default", on: id)
                guard screen.requests.count > count,
                    case .act(let group, let number, _, _, _)? = screen.requests.last
                else { continue }
                let owner = try #require(chats.first { $0.value.bodies[Int(number)] == body })
                #expect(owner.value.group == Int(group), "\(body) was chosen")
                chats[owner.key]?.bodies[Int(number)] = nil
                try screen.group(
                    Int(group), chat: owner.key, removed: [Int(number)], sound: 0)
            case 9:
                breaks += 1
                screen.restart(isDelivered: .random(using: &random))
                screen.serverAppears()
                try tellAll(chats, to: &screen)
            case 10:
                breaks += 1
                screen.serverVanishes()
                screen.serverAppears(owner: ":2.\(breaks)", start: UInt64(breaks))
            default: screen.elapse(.seconds(2))
            }
            let alive = chats.values.flatMap(\.bodies.values)
            let shown = screen.bodies.filter { $0.hasPrefix("chat") }
            #expect(Set(alive).isSuperset(of: shown), "only what there is")
            #expect(Set(shown).count == shown.count, "once")
        }
        screen.elapse(.seconds(2))
        try tellAll([:], to: &screen)
        #expect(screen.visible.isEmpty && screen.records.isEmpty)
    }

    private func tellAll(_ chats: [Int: Chat], to screen: inout Screen) throws {
        let groups = chats.sorted { $0.key < $1.key }.filter { !$0.value.bodies.isEmpty }.map {
            chat, known in
            let list = known.bodies.sorted { $0.key < $1.key }.map { Screen.push($0, $1) }
            return """
                {"@type":"notificationGroup","id":\(known.group),"chat_id":\(chat),
                "notifications":[\(list.joined(separator: ","))]}
                """
        }
        try screen.receive(
            """
            {"@type":"updateActiveNotifications","groups":[\(groups.joined(separator: ","))]}
            """)
    }
}
