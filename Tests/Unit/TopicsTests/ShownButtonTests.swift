import Base
import Notifications
import Testing

@testable import Topics

@Suite("Buttons on the way to a screen")
struct ShownButtonTests {
    private static func action(
        _ kind: TopicAction.Kind, _ change: (inout TopicAction) -> Void = { _ in }
    ) -> TopicAction {
        var action = TopicAction()
        (action.id, action.label, action.kind) = ("id", "L", kind)
        (action.url, action.value) = ("https://h/", "v")
        change(&action)
        return action
    }

    private func shown(_ actions: TopicAction...) throws -> [Presentation.Action] {
        var content = TopicContent()
        (content.text, content.actions) = ("m", actions)
        let message = TopicMessage(id: TopicMessageID(number: 1), time: 0, content)
        return Presentation.Action.list(try JSONDocument(message.plainPayload).root["actions"])
    }

    @Test("A screen gets all kinds but broadcasts")
    func kinds() throws {
        let http = Self.action(.http) {
            $0.headers = [.init("A", "b")]
            $0.body = "x"
            $0.mayStayInside = true
            $0.clears = true
        }
        let actions = try shown(Self.action(.view), http, Self.action(.broadcast))
        #expect(actions.map(\.kind) == [.view, .http])
        #expect(actions[1].method == "POST" && actions[1].fields == [.init("A", "b")])
        #expect(actions[1].body == "x" && actions[1].mayStayInside && actions[1].clears)
        #expect(try shown(Self.action(.copy)).first?.value == "v")
    }

    @Test("A button that the engine would have to keep much for stays in the history")
    func large() throws {
        let long = String(repeating: "x", count: 4_097)
        #expect(try shown(Self.action(.http) { $0.body = long }).isEmpty)
        #expect(try shown(Self.action(.http) { $0.headers = [.init("A", long)] }).isEmpty)
        #expect(try shown(Self.action(.copy) { $0.value = long }).isEmpty)
        #expect(try shown(Self.action(.view) { $0.label = long }).first?.label.count == 256)
    }

    @Test("Only requests to what was allowed may stay inside")
    func inside() throws {
        var fields = NtfyFields()
        let name = Array("Actions".utf8)
        let value = Array("http, A, http://nas/; http, B, https://h/; view, C, http://nas/".utf8)
        fields.record(name.span, value.span)
        var publication = try Publication(
            fields, Array("m".utf8), .init(now: 1, mayUpload: true) { _ in nil })
        #expect(publication.content.actions.allSatisfy { !$0.mayStayInside })
        publication.letButtonsStayInside { $0 == "http://nas/" }
        #expect(publication.content.actions.map(\.mayStayInside) == [true, false, false])
    }
}
