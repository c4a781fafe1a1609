import Testing

@testable import Mailbox

@Suite("Clients of engines that start over")
struct EngineReturnTests {
    @Test("A client that starts over gets its answers after the whole state")
    func answers() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        try viewer.settle()
        let gate = app.fixture.gate
        let before = gate.count(of: .other)
        gate.shut(.other)
        let payload = RegisteredApp.message("x", id: 1).replacing("\"", with: "\\\"")
        viewer.agent.send(
            #"{"@type":"processPushNotification","payload":"\#(payload)","@extra":"mine"}"#)
        #expect(gate.await(.other, before + 1))
        // The client joins again behind its request.
        app.fixture.store.index.engines.notifyStoreReturned()
        #expect(gate.await(.other, before + 2))
        gate.open()
        #expect(try viewer.next()["@type"] as? String == "updateActiveNotifications")
        #expect(viewer.texts == ["x"])
        var answer = try viewer.next()
        while answer["@extra"] == nil { answer = try viewer.next() }
        #expect(answer["@extra"] as? String == "mine" && answer["@type"] as? String == "ok")
        // It came once, and the next one comes at once.
        #expect(try viewer.ask(#"{"@type":"bellwire.getChats"}"#).before.isEmpty)
    }

    @Test("A node that is cut off sends all clients away, and another one tells them everything")
    func away() throws {
        let app = try RegisteredApp(try PushFixture())
        let agent = try app.fixture.userAgent()
        _ = try agent.register()
        let clients = try ["", "&role=viewer"].map { try EngineViewer(app, $0) }
        #expect(try app.pushMessage("kept", id: 1).status == 201)
        for client in clients { try client.settle() }
        app.fixture.store.sendClientsAway()
        for client in clients { #expect(client.agent.closing() == "1001 ") }
        #expect(agent.closing() != "none")
        #expect(try EngineViewer(app).texts == ["kept"])
    }
}
