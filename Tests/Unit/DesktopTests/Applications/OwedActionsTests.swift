import Base
import Testing

@testable import Desktop

@Suite("What the user did, until the application has it")
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

    @Test("It is told once, and the engine hears that it was taken")
    mutating func taken() throws {
        let open = try action("1")
        #expect(open.data == #"{"x":1}"# && open.token == "t")
        #expect(handle(.told(source: "me", open)) == [.call(first, open)])
        #expect(handle(.told(source: "me", open)).isEmpty, "it is under way")
        #expect(handle(.returned(first, .taken)) == [.taken(first)])
        #expect(machine.services.isEmpty && machine.deadline == nil)
        // The engine had not heard of it: it is told that again, and the application is not.
        #expect(handle(.joined("me")).isEmpty)
        #expect(handle(.told(source: "me", open)) == [.taken(first)])
        _ = handle(.confirmed(first))
        #expect(handle(.told(source: "me", open)) == [.call(first, open)], "another one")
    }

    @Test("Who ends during the call is called again after a pause that grows")
    mutating func killed() throws {
        let open = try action("1")
        _ = handle(.told(source: "me", open))
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
            #expect(handle(.returned(first, .failed)).isEmpty)
            #expect(machine.deadline == now + .seconds(pause))
            now += .seconds(pause)
            #expect(handle(.elapsed) == [.call(first, open)])
        }
        // Its name appears because it was called.
        #expect(handle(.appeared(service: Self.app)).isEmpty)
        _ = handle(.returned(first, .failed))
        #expect(handle(.appeared(service: Self.app)) == [.call(first, open)], "it came by itself")
        #expect(handle(.returned(first, .taken)) == [.taken(first)])
    }

    @Test("Nobody is woken for one who is not there; when it comes it is told, once and in order")
    mutating func absent() throws {
        let (open, reply) = (try action("1"), try action("2", "reply"))
        _ = handle(.told(source: "me", open))
        _ = handle(.returned(first, .absent))
        #expect(machine.deadline == nil && machine.services == [Self.app])
        // Another wish of the user is worth an attempt, not at once.
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

    @Test("Who refuses is asked again when it comes anew or the engine begins anew")
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

    @Test("Who was only woken takes it from the engine, and does not come to the front again")
    mutating func woken() throws {
        let reply = try action("1", "reply")
        _ = handle(.told(source: "me", reply))
        #expect(handle(.returned(first, .woken)).isEmpty && machine.services.isEmpty)
        for _ in 0..<3 {
            _ = handle(.joined("me"))
            #expect(handle(.told(source: "me", reply)).isEmpty)
        }
        // Nobody owes it any more by then.
        _ = handle(.joined("me"))
        _ = handle(.joined("me"))
        #expect(handle(.told(source: "me", reply)) == [.call(first, reply)])
    }

    @Test("A link that was opened instead is taken, and so is what names no application")
    mutating func performed() throws {
        let choice = Choice(source: "me", chat: 5, message: 9, action: "default")
        _ = handle(.performed(choice))
        #expect(handle(.told(source: "other", try action("1"))).count == 1, "of another account")
        #expect(handle(.told(source: "me", try action("1", service: nil))) == [.taken(first)])
        #expect(handle(.told(source: "me", try action("2", service: nil))).isEmpty)
    }

    @Test("What the user waits for no longer, or whose account has ended, is not told")
    mutating func expired() throws {
        _ = handle(.told(source: "me", try action("1")))
        _ = handle(.told(source: "me", try action("2")))
        _ = handle(.expired(OwedActions.Key("me", "2")))
        _ = handle(.sourceEnded("me"))
        #expect(handle(.returned(first, .failed)).isEmpty)
        #expect(machine.services.isEmpty && machine.deadline == nil)
    }
}
