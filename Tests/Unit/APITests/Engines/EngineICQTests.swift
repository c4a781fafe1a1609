import Foundation
import Testing

@Suite("ICQ's pushes, from the endpoint to the client of the engine")
struct EngineICQTests {
    private func app(_ more: String = "") throws -> (RegisteredApp, EngineViewer) {
        let fixture = try PushFixture()
        let app = try RegisteredApp(
            fixture, app: "icq", #","notify_mode":"applePushNotification""# + more)
        return (app, try EngineViewer(fixture, bearer: app.bearer, app: "icq"))
    }

    private func push(_ app: RegisteredApp, _ key: String, _ words: [String]) throws {
        let list = words.map { "\"\($0)\"" }.joined(separator: ",")
        let payload = #"{"aps":{"alert":{"loc-key":"\#(key)","loc-args":[\#(list)]},"badge":2}}"#
        #expect(try app.raw(Array(payload.utf8)).status == 201)
    }

    @Test("Several messages show the newest count, beside that of requests")
    func summary() throws {
        let (app, viewer) = try app()
        for number in ["2", "5", "7"] {
            try push(app, "New Messages", [number])
            try push(app, "AR2", [number])
        }
        try viewer.settle()
        #expect(viewer.texts.count == 2 && viewer.texts.allSatisfy { $0.contains("7") })
    }

    @Test("A message and a request to be authorized are of different people")
    func single() throws {
        let (app, viewer) = try app()
        try push(app, "IM2", ["111111", "222222", "some text"])
        try push(app, "AR1", ["222222", "333333", "parparon5", "John", "Johnson"])
        try viewer.settle()
        #expect(viewer.texts.count == 2 && viewer.screen.count == 2)
        #expect(viewer.texts.first?.contains("some text") == true)
    }

    @Test("The sentence of its registration is what is shown")
    func sentence() throws {
        let (app, viewer) = try app(
            #","presentation":{"loc_key":"{1} wrote: {2}","loc_args":"srcId,message"}"#)
        try push(app, "IM2", ["111111", "222222", "hello"])
        try viewer.settle()
        #expect((viewer.presentation["body"] as? String)?.contains("111111 wrote: hello") == true)
    }

    @Test("One mode counts messages silently; in another each conversation rings once")
    func modes() throws {
        let (app, viewer) = try app()
        try viewer.ask(#"{"@type":"bellwire.setSource","notify_mode":"sendOnePerConversation"}"#)
        for sender in ["111111", "333333", "111111"] {
            try push(app, "IM2", [sender, "222222", "hi"])
        }
        try viewer.settle()
        #expect(viewer.appeared.count == 2)
    }
}
