import API
import Configuration
import Foundation
import Testing

@testable import Mailbox
@testable import PushService

@Suite("What topics keep by the settings")
struct HistorySettingTests {
    @Test("history and history-for hold from the next reload, for topics that say nothing else")
    func reload() throws {
        let fixture = try PushFixture()
        let bearer = try fixture.addCredential()
        func use(_ values: [(ConfigurationKey, String)]) {
            var settings = fixture.service.settings
            let pairs = values.map { ($0.0.name, [Setting($0.1, from: .fallback)]) }
            settings.values = SettingValues(Dictionary(pairs) { $1 })
            fixture.service.use(settings)
        }
        /// For how many seconds a message of this topic stays.
        func lifetime(_ topic: String) throws -> Int {
            let answer = try fixture.request(
                "PUT", "/\(topic)", PushFixture.authorization(bearer), body: Array("x".utf8))
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
            let time = try #require(object["time"] as? Int)
            return (object["expires"] as? Int ?? time) - time
        }
        let own = try fixture.api(
            "POST", "registrations", bearer: bearer,
            #"{"token_type":10,"app":"script","account":"own","trust_clear":true,"#
                + #""topic":{"keep":60}}"#)
        #expect(own.status == 201)
        #expect(try lifetime("news") == 30 * 86_400 && lifetime("own") == 60)
        use([(.historyFor, "2h")])
        #expect(try lifetime("news") == 7_200 && lifetime("own") == 60)
        use([(.history, "off"), (.historyFor, "2h")])
        #expect(try lifetime("news") == 0 && lifetime("own") == 60)
        #expect(try fixture.poll("news", bearer).count == 2)
        #expect(try fixture.poll("own", bearer).count == 3)
    }
}
