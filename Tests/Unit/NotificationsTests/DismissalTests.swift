import Testing

@testable import Notifications

@Suite("What the user removes")
struct DismissalTests {
    private var hosted: HostedEngine

    init() {
        var account = Account()
        account.options[OptionName.groupCountMax] = .integer(25)
        hosted = HostedEngine(
            account, cryptography: .init(secret: { _ in nil }, open: { _, _ in nil }),
            templates: .english, now: 1)
        _ = hosted.takeNews()
    }

    /// Shows texts under names, and returns the group and the ids.
    private mutating func show(_ names: String...) -> (group: Int32, ids: [Int32]) {
        for name in names {
            _ = hosted.process(
                Array(#"{"message":"x","sequence_id":"s"}"#.utf8), .plain, .webpush, name: name,
                now: 2)
        }
        let group = hosted.engine.activeGroups.first
        #expect(hosted.takeNews().dismissed.isEmpty)
        return (group?.id ?? 0, group?.notifications.map(\.id) ?? [])
    }

    private mutating func ask(_ request: EngineRequest) -> [String] {
        _ = hosted.answer(Array(request.json.utf8), now: 3)
        return hosted.takeNews().dismissed
    }

    @Test("The host hears its name once, also of a later state")
    mutating func once() {
        let (group, ids) = show("a", "b", "a")
        #expect(ids.count == 2)
        #expect(ask(.remove(group: group, notification: ids[0])) == ["a"])
        #expect(ask(.remove(group: group, notification: ids[0])) == [])
        #expect(ask(.remove(group: group, notification: ids[1] + 1)) == [])
        #expect(ask(.removeGroup(group, through: ids[1])) == ["b"])
    }

    @Test("What the user acts on is removed by the user, with what was read before")
    mutating func action() {
        let (group, ids) = show("a", "b")
        let removed = ask(.act(group: group, notification: ids[1], action: "default"))
        #expect(removed.contains("b"))
        #expect(hosted.engine.account.names["b"] == nil)
    }

    @Test("What its sender takes back is not, nor what has no name")
    mutating func others() {
        let (group, ids) = show("a", "")
        hosted.withdraw(name: "a", .webpush, now: 3)
        #expect(hosted.takeNews().dismissed == [])
        #expect(ask(.removeGroup(group, through: ids[1])) == [])
    }
}
