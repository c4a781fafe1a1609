import TestSupport
import Testing

@testable import Desktop
@testable import Pictures

@Suite("Pictures that come after their notifications")
struct LaterPictureTests {
    private static let key = ShownKey("telegram/me", 1, 1)

    private func screen() throws -> Screen {
        var screen = Screen()
        screen.serverAppears()
        return screen
    }

    private func picture(_ colour: UInt8) -> Picture {
        Picture(width: 1, height: 1, pixels: [colour, 0, 0])
    }

    /// The names of the pictures that were asked for.
    private func asked(_ screen: Screen) -> [String] {
        screen.others.compactMap { action in
            if case .fetchPicture(_, let name) = action { name } else { nil }
        }
    }

    private func push(_ id: Int, _ body: String = "Ring", picture: String) -> String {
        Screen.push(id, body, more: #","picture":"\#(picture)""#)
    }

    private func edit(_ notification: String) -> String {
        #"{"@type":"updateNotification","notification_group_id":1,"notification":\#(notification)}"#
    }

    @Test("The text is shown at once, and changes in place without a sound when the picture comes")
    func later() throws {
        var screen = try screen()
        try screen.group(added: [push(1, picture: "abc")])
        #expect(screen.calls.count == 1 && !screen.calls[0].isSilent)
        #expect(screen.calls[0][hint: "image-data"] == nil)
        #expect(asked(screen) == ["abc"])
        screen.handle(.pictureCame(Self.key, name: "abc", picture(1)))
        #expect(screen.calls.count == 2 && screen.calls[1].isSilent)
        #expect(screen.calls[1].replacesID == 1 && screen.visible.count == 1)
        #expect(screen.calls[1][hint: "image-data"] == .picture(picture(1)))
        // The same again changes nothing.
        screen.handle(.pictureCame(Self.key, name: "abc", picture(1)))
        #expect(screen.calls.count == 2 && asked(screen) == ["abc"])
    }

    @Test("Nothing is asked for what is not on the screen")
    func unseen() throws {
        var screen = Screen()
        try screen.group(added: [push(1, picture: "abc")])
        #expect(asked(screen).isEmpty)
        screen.serverAppears()
        #expect(asked(screen) == ["abc"])
        try screen.group(added: [Screen.push(2)])
        #expect(asked(screen) == ["abc"])
    }

    @Test("A picture of what was closed, or of an earlier state, is not shown")
    func late() throws {
        var screen = try screen()
        try screen.group(added: [push(1, picture: "abc")])
        try screen.receive(edit(push(1, "Gone", picture: "def")))
        #expect(asked(screen) == ["abc", "def"])
        screen.handle(.pictureCame(Self.key, name: "abc", picture(1)))
        #expect(screen.calls.last?[hint: "image-data"] == nil)
        screen.handle(.pictureCame(Self.key, name: "def", picture(2)))
        #expect(screen.calls.last?[hint: "image-data"] == .picture(picture(2)))
        try screen.receive(edit(Screen.push(1, "Closed")))
        #expect(screen.calls.last?[hint: "image-data"] == nil)
        try screen.receive(edit(push(1, "Open", picture: "ghi")))
        screen.user(closes: 1)
        let count = screen.calls.count
        screen.handle(.pictureCame(Self.key, name: "ghi", picture(3)))
        #expect(screen.calls.count == count && screen.visible.isEmpty)
    }

    @Test("Another picture with the same text is drawn")
    func changed() throws {
        var screen = try screen()
        try screen.group(added: [push(1, picture: "abc")])
        screen.handle(.pictureCame(Self.key, name: "abc", picture(1)))
        try screen.receive(edit(push(1, picture: "def")))
        screen.handle(.pictureCame(Self.key, name: "def", picture(2)))
        #expect(screen.visible[1]?.call[hint: "image-data"] == .picture(picture(2)))
        #expect(screen.sounding.count == 1)
    }

    @Test("A new notification server gets what was shown with its picture, which is there")
    func otherServer() throws {
        var screen = try screen()
        try screen.group(added: [push(1, picture: "abc")])
        screen.handle(.pictureCame(Self.key, name: "abc", picture(1)))
        screen.serverVanishes()
        screen.serverAppears(owner: ":1.9", start: 9)
        #expect(screen.calls.last?[hint: "image-data"] == .picture(picture(1)))
        #expect(asked(screen) == ["abc"])
    }

    @Test("After a restart of the desktop it is asked for once more")
    func restart() throws {
        var screen = try screen()
        try screen.group(added: [push(1, picture: "abc")])
        screen.restart()
        screen.serverAppears()
        try screen.active([(1, [push(1, picture: "abc")])])
        #expect(asked(screen) == ["abc", "abc"])
    }

    @Test("Only the pictures of the newest are kept")
    func kept() throws {
        var screen = try screen()
        for id in 1...40 {
            screen.elapse(.seconds(2))
            try screen.group(added: [push(id, picture: "p\(id)")])
            screen.handle(
                .pictureCame(
                    ShownKey("telegram/me", 1, Int32(id)), name: "p\(id)", picture(UInt8(id))))
        }
        let held = screen.presenter.entries.values.filter { $0.picture != nil }
        #expect(held.count == 32 && screen.presenter.pictured.count == 32)
        #expect(screen.visible.count == 40)
        try screen.receive(edit(push(1, "changed", picture: "p1")))
        #expect(asked(screen).last == "p1")
    }
}
