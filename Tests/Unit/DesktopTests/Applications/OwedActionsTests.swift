import Base
import Notifications
import Testing

@testable import Desktop

@Suite("User actions until the application has them")
struct OwedActionsTests {
    private static let app = "org.example.Chat"
    private let first = OwedActions.Key("me", "1")
    private var machine = OwedActions()
    private var now = Duration.seconds(100)

    private mutating func handle(_ event: OwedActions.Event) -> [OwedActions.Action] {
        machine.handle(event, at: now)
    }

    private func action(
        _ id: String, _ action: String = "default", service: String? = app
    ) throws -> OwedAction {
        let name = service.map { #","service":"\#($0)""# } ?? ""
        let json = """
            {"@type":"bellwire.updateNotificationAction","id":"\(id)","chat_id":5,"message_id":9,
            "action":"\(action)","data":{"x":1}\(name),"activation_token":"t"}
            """
        return try #require(OwedAction(try JSONDocument(Array(json.utf8)).root))
    }

    @Test("An action is passed once, and confirmed to the engine")
    mutating func taken() throws {
        let open = try action("1")
        #expect(open.data == #"{"x":1}"# && open.token == "t")
        #expect(handle(.told(source: "me", open)) == [.call(first, open)])
        #expect(handle(.told(source: "me", open)).isEmpty, "it is under way")
        #expect(handle(.returned(first, .taken)) == [.taken(first)])
        #expect(machine.services.isEmpty && machine.deadline == nil)
        // The engine missed the confirmation and gets it again; the application does not get the
        // action again.
        #expect(handle(.joined("me")).isEmpty)
        #expect(handle(.told(source: "me", open)) == [.taken(first)])
        _ = handle(.confirmed(first))
        #expect(handle(.told(source: "me", open)) == [.call(first, open)], "another one")
    }

    @Test("An application that ends during the call is called again after growing pauses")
    mutating func killed() throws {
        let open = try action("1")
        _ = handle(.told(source: "me", open))
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
            #expect(handle(.returned(first, .failed)).isEmpty)
            #expect(machine.deadline == now + .seconds(pause))
            now += .seconds(pause)
            #expect(handle(.elapsed) == [.call(first, open)])
        }
        // The call made its name appear.
        #expect(handle(.appeared(service: Self.app)).isEmpty)
        _ = handle(.returned(first, .failed))
        #expect(handle(.appeared(service: Self.app)) == [.call(first, open)], "it came by itself")
        #expect(handle(.returned(first, .taken)) == [.taken(first)])
    }

    @Test("A missing application gets its actions once, in order, when it appears")
    mutating func absent() throws {
        let (open, reply) = (try action("1"), try action("2", "reply"))
        _ = handle(.told(source: "me", open))
        _ = handle(.returned(first, .absent))
        #expect(machine.deadline == nil && machine.services == [Self.app])
        // A further action leads to another attempt, after the pause.
        #expect(handle(.told(source: "me", reply)).isEmpty)
        now += .seconds(5)
        #expect(handle(.elapsed) == [.call(first, open)])
        _ = handle(.returned(first, .absent))
        #expect(handle(.appeared(service: "org.example.Other")).isEmpty)
        #expect(handle(.appeared(service: Self.app)) == [.call(first, open)])
        let second = OwedActions.Key("me", "2")
        #expect(handle(.returned(first, .taken)) == [.taken(first), .call(second, reply)])
        #expect(handle(.returned(second, .taken)) == [.taken(second)])
        #expect(machine.services.isEmpty)
    }

    @Test("An application that refuses is asked again when it or the engine restarts")
    mutating func refused() throws {
        let open = try action("1")
        _ = handle(.told(source: "me", open))
        #expect(handle(.returned(first, .refused)).isEmpty && machine.deadline == nil)
        #expect(handle(.told(source: "me", open)) == [.call(first, open)])
        _ = handle(.returned(first, .refused))
        #expect(handle(.appeared(service: Self.app)) == [.call(first, open)])
        _ = handle(.returned(first, .refused))
        _ = handle(.joined("me"))
        #expect(machine.services.isEmpty)
        #expect(handle(.told(source: "me", open)) == [.call(first, open)])
    }

    @Test("An application that was only woken is not brought to the front again")
    mutating func woken() throws {
        let reply = try action("1", "reply")
        _ = handle(.told(source: "me", reply))
        #expect(handle(.returned(first, .woken)).isEmpty && machine.services.isEmpty)
        for _ in 0..<3 {
            _ = handle(.joined("me"))
            #expect(handle(.told(source: "me", reply)).isEmpty)
        }
        // By then the engine owes the action no more.
        _ = handle(.joined("me"))
        _ = handle(.joined("me"))
        #expect(handle(.told(source: "me", reply)) == [.call(first, reply)])
    }

    @Test("An opened link, or an action without an application, counts as taken")
    mutating func performed() throws {
        let choice = Choice(source: "me", chat: 5, message: 9, action: "default")
        _ = handle(.performed(choice))
        #expect(handle(.told(source: "other", try action("1"))).count == 1, "of another account")
        #expect(handle(.told(source: "me", try action("1", service: nil))) == [.taken(first)])
        #expect(handle(.told(source: "me", try action("2", service: nil))).isEmpty)
    }

    @Test("An expired action, or one of an ended account, is not passed")
    mutating func expired() throws {
        _ = handle(.told(source: "me", try action("1")))
        _ = handle(.told(source: "me", try action("2")))
        _ = handle(.expired(OwedActions.Key("me", "2")))
        _ = handle(.sourceEnded("me"))
        #expect(handle(.returned(first, .failed)).isEmpty)
        #expect(machine.services.isEmpty && machine.deadline == nil)
    }
}
