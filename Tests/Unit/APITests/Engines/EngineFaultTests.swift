import Foundation
import Testing

@testable import Mailbox

@Suite("Engines with a failing disk")
struct EngineFaultTests {
    /// Limits the size of files that this process writes.
    private static func limitFiles(to size: rlim_t) {
        var limit = rlimit(rlim_cur: size, rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    @Test("A failed commit reaches no client; the sender's retry succeeds")
    func commit() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let app = try RegisteredApp(try PushFixture())
            let viewers = [try EngineViewer(app), try EngineViewer(app)]
            #expect(try app.pushMessage("kept", id: 1).status == 201)
            for viewer in viewers { try viewer.settle() }
            let push = try app.encrypted(RegisteredApp.message("lost", id: 2))
            // Nothing can be written, so the commit itself fails.
            Self.limitFiles(to: 1)
            let refused = try app.send(push)
            #expect(refused.code == "503/201" && refused["retry-after"] != nil)
            #expect(!app.fixture.store.isUsable)
            #expect(try app.send(push).status == 503)
            let (before, answer) = try viewers[0].ask(#"{"@type":"bellwire.setMe","user_id":5}"#)
            #expect(before.isEmpty && answer["code"] as? Int == 503)
            Self.limitFiles(to: .max)
            // Their next update is the whole state.
            for viewer in viewers {
                #expect(try viewer.next()["@type"] as? String == "updateActiveNotifications")
                try viewer.settle()
                #expect(viewer.texts == ["kept"] && viewer.appeared.count == 1)
            }
            for _ in 0..<2 { #expect(try app.send(push).status == 201) }
            for viewer in viewers {
                try viewer.settle()
                #expect(viewer.texts == ["kept", "lost"] && viewer.appeared.count == 2)
            }
            try app.fixture.restart()
            #expect(try EngineViewer(app).screen == viewers[0].screen)
        }
    }
}
