import Base
import Bus
import Notifications
import Testing

@testable import Desktop

@Suite("The call that passes a user's action to an application")
struct ApplicationCallTests {
    private static let entry = """
        [Desktop Entry]
        Type=Application
        Name=Chat
        DBusActivatable = true
        Actions=new-window;open-notification;reply-notification;
        # Actions=nothing
        [Desktop Action open-notification]
        Name=Open
        Actions=other;
        """

    private func owed(_ action: String, more: String = "") throws -> OwedAction {
        let json = """
            {"@type":"bellwire.updateNotificationAction","id":3,"chat_id":5,"message_id":9,
            "action":"\(action)","service":"org.example.Chat-1"\(more)}
            """
        return try #require(OwedAction(try JSONDocument(Array(json.utf8)).root))
    }

    private func entry(_ text: String = Self.entry) -> DesktopEntry {
        DesktopEntry(Array(text.utf8))
    }

    @Test("A listed action carries the payload's data and the token")
    func listed() throws {
        let more = #","data":{"room":"!r:x"},"activation_token":"t""#
        let call = try #require(ApplicationCall(try owed("default", more: more), for: entry()))
        #expect(call.isComplete)
        let message = call.message
        #expect(
            message.path == "/org/example/Chat_1" && message.member == "ActivateAction"
                && message.destination == "org.example.Chat-1")
        #expect(
            message.arguments == [
                .string("open-notification"),
                .array("v", [.variant(.string(#"{"room":"!r:x"}"#))]),
                .options([
                    ("activation-token", .string("t")), ("desktop-startup-id", .string("t")),
                ]),
            ])
        let bare = try #require(ApplicationCall(try owed("default"), for: entry()))
        #expect(bare.parameter == "{}", "an action that takes a value always gets one")
    }

    @Test("A listed reply carries its text")
    func reply() throws {
        let more = #","text":"Yes \"","data":{"a":1}"#
        let call = try #require(ApplicationCall(try owed("reply", more: more), for: entry()))
        #expect(call.action == "reply-notification" && call.isComplete)
        #expect(
            call.parameter
                == #"{"chat_id":5,"message_id":9,"text":"Yes \"","data":{"a":1}}"#)
    }

    @Test("An unlisted action brings the application to the front; that completes only a click")
    func unlisted() throws {
        for entry in [nil, entry("[Desktop Entry]\nActions=open-notification"), entry("")] {
            let open = try #require(ApplicationCall(try owed("default"), for: entry))
            #expect(open.action == nil && open.isComplete)
            #expect(open.message.member == "Activate" && open.message.arguments == [.options([])])
            let reply = try #require(ApplicationCall(try owed("reply"), for: entry))
            #expect(reply.action == nil && !reply.isComplete)
            #expect(try ApplicationCall(owed("accept"), for: entry)?.isComplete == false)
            #expect(try ApplicationCall(owed("mark_read"), for: entry) == nil)
            #expect(try ApplicationCall(owed("decline"), for: entry) == nil)
        }
    }

    @Test(
        "Only well-formed application names are called",
        arguments: ["", ":1.5", "a", "../x", "a b"])
    func names(service: String) throws {
        let more = #","service":"\#(service)""#
        let json =
            #"{"@type":"bellwire.updateNotificationAction","id":"1","action":"default"\#(more)}"#
        let owed = try #require(OwedAction(try JSONDocument(Array(json.utf8)).root))
        #expect(ApplicationCall(owed, for: entry()) == nil)
        #expect(DesktopEntry.ofService(service) == nil)
    }

    @Test("A desktop entry is read as the specification has it")
    func entries() {
        let read = entry()
        #expect(read.isActivatable)
        #expect(read.actions == ["new-window", "open-notification", "reply-notification"])
        #expect(!entry("[Desktop Entry]\nDBusActivatable=false").isActivatable)
        #expect(!entry("DBusActivatable=true").isActivatable, "in no group")
        #expect(!entry("[Other]\nDBusActivatable=true").isActivatable)
        #expect(entry("[Desktop Entry]\r\nDBusActivatable=true\r\n").isActivatable)
    }
}
