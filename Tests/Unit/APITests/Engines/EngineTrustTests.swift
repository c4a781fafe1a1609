import Foundation
import Testing

@testable import PushService

@Suite("Rights of encrypted and unencrypted pushes")
struct EngineTrustTests {
    private let fixture: PushFixture

    init() throws { fixture = try PushFixture() }

    private func zpns(_ text: String, _ own: String = #""customId":"1""#) -> String {
        #"{"aps":{"alert":"\#(text)","mutable-content":1},"payload":{\#(own)}}"#
    }

    private func notifications(_ update: [String: Any]) -> [[String: Any]] {
        update["added_notifications"] as? [[String: Any]] ?? []
    }

    private func invoke(_ viewer: EngineViewer, _ id: Int) throws -> String? {
        let answer = try viewer.ask(
            #"{"@type":"bellwire.invokeNotificationAction","notification_group_id":1,"notification_id":\#(id),"action":"default"}"#
        ).answer
        return answer["@type"] as? String
    }

    @Test("A forged unencrypted replacement is answered and counted, but changes nothing")
    func outranked() throws {
        let app = try RegisteredApp(fixture, app: "zpns")
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "zpns")
        #expect(try app.push(zpns("real")).status == 201)
        let retraction = #"{"payload":{"customId":"1","retract":true}}"#
        for forged in [zpns("forged"), retraction] {
            #expect(try app.raw(Array(forged.utf8)).status == 201)
        }
        try viewer.settle()
        #expect(viewer.texts == ["real"] && viewer.appeared.count == 1)
        #expect(try app.undecryptable() == ["outranked": 2])
        let metrics = fixture.service.metrics.text(fixture.store, version: "1")
        #expect(metrics.contains("\nbellwire_outranked_total 2\n"))
        #expect(try app.push(retraction).status == 201)
        try viewer.settle()
        #expect(viewer.texts.isEmpty)
    }

    @Test("Each notification says whether it was encrypted, even after a restart")
    func protection() throws {
        let app = try RegisteredApp(fixture, app: "plain")
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "plain")
        #expect(try app.push("sealed").status == 201)
        let sealed = notifications(try viewer.next("updateNotificationGroup"))
        #expect(sealed.first?["bellwire.protection"] as? String == "webpush")
        #expect(sealed.first?["bellwire.clear"] == nil)
        #expect(try app.raw(Array("open".utf8)).status == 201)
        let open = notifications(try viewer.next("updateNotificationGroup"))
        #expect(open.first?["bellwire.protection"] as? String == "clear")
        #expect(open.first?["bellwire.clear"] as? Bool == true)
        #expect(try invoke(viewer, 1) == "ok" && invoke(viewer, 2) == "error")
    }

    @Test("Trusted unencrypted pushes may have actions, but change nothing encrypted")
    func trusted() throws {
        let app = try RegisteredApp(fixture, app: "zpns", #","trust_clear":true"#)
        let shown = try app.call("GET", "registrations/\(app.id)").object()
        #expect(shown["trust_clear"] as? Bool == true)
        #expect(try app.raw(Array(zpns("open").utf8)).status == 201)
        try fixture.restart()
        let viewer = try EngineViewer(fixture, bearer: app.bearer, app: "zpns")
        #expect(viewer.texts == ["open"])
        #expect(try app.raw(Array(zpns("again", #""customId":"2""#).utf8)).status == 201)
        let added = notifications(try viewer.next("updateNotificationGroup"))
        #expect(added.first?["bellwire.protection"] as? String == "clear")
        #expect(added.first?["bellwire.clear"] == nil)
        #expect(try invoke(viewer, 1) == "ok" && invoke(viewer, 2) == "ok")
        #expect(try app.push(zpns("real", #""customId":"3""#)).status == 201)
        #expect(try app.raw(Array(zpns("forged", #""customId":"3""#).utf8)).status == 201)
        try viewer.settle()
        #expect(viewer.texts == ["real"])
    }

    @Test("Unencrypted service keys do nothing, even if trusted")
    func serviceKeys() throws {
        let app = try RegisteredApp(fixture, #","clear":true,"trust_clear":true"#)
        let viewer = try EngineViewer(app)
        #expect(try app.raw(Array(RegisteredApp.message("hi", id: 5).utf8)).status == 201)
        for key in ["MESSAGE_DELETED", "READ_HISTORY", "SESSION_REVOKE", "GEO_LIVE_PENDING"] {
            let payload =
                #"{"loc_key":"\#(key)","custom":{"from_id":"500","messages":"5","max_id":"5"}}"#
            #expect(try app.raw(Array(payload.utf8)).status == 201)
        }
        let heard = try viewer.ask(#"{"@type":"getOption","name":"version"}"#).before
        #expect(viewer.texts == ["hi"])
        #expect(!heard.contains { $0["@type"] as? String == "bellwire.updateLiveLocationsNeeded" })
    }
}
