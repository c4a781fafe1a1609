import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("Limits on what a client can store in its engine")
struct EngineGrowthTests {
    private func databaseSize(_ fixture: PushFixture) throws -> Int {
        try ["", "-wal"].reduce(0) { sum, end in
            let path = fixture.folder.file("state") + "/" + WriterDatabase.fileName + end
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
            return sum + (size as? Int ?? 0)
        }
    }

    @Test("Chat titles of a megabyte are cut to a kilobyte")
    func titles() throws {
        let app = try RegisteredApp(try PushFixture())
        let viewer = try EngineViewer(app)
        let title = String(repeating: "ä", count: 480_000)
        for chat in 1...12 {
            let answer = try viewer.ask(
                #"{"@type":"bellwire.setChat","chat_id":\#(chat),"title":"\#(title)"}"#)
            #expect(answer.answer["@type"] as? String == "ok")
        }
        let chats = try viewer.ask(#"{"@type":"bellwire.getChats"}"#).answer
        let first = (chats["chats"] as? [[String: Any]])?.first?["title"] as? String ?? ""
        #expect(!first.isEmpty && title.hasPrefix(first))
        #expect(try databaseSize(app.fixture) < 8 << 20)
    }
}
