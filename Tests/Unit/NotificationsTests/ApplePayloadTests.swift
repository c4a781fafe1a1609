import Base
import Testing
@testable import Notifications

@Suite("Payloads for Apple's push service")
struct ApplePayloadTests {
    private func events(_ json: String, _ looks: String = "{}") throws -> [Event] {
        var context = DialectContext()
        context.presentation = SourcePresentation(try JSONDocument(Array(looks.utf8)).root)
        return Dialect.auto.events(Array(json.utf8), context)
    }

    private func message(_ json: String, _ looks: String = "{}") throws -> IncomingMessage {
        for case .message(let message) in try events(json, looks) { return message }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test("Title, subtitle, body and sound are read, also when the dialect is detected")
    func alert() throws {
        let found = try message(
            #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"sound":"bing.caf"},"x":1}"#)
        #expect(found.presentation?.title == "T – S" && found.presentation?.body == "B")
        #expect(found.presentation?.sound == "bing.caf" && found.content.text == "B")
        #expect(found.presentation?.data == #"{"x":1}"#)
        let text = try message(#"{"aps":{"alert":"B","sound":{"name":"a/b","critical":1}}}"#)
        #expect(text.presentation?.body == "B" && text.presentation?.isCritical == true)
        #expect(text.presentation?.sound == "")
    }

    @Test("A thread is a group of its own")
    func thread() throws {
        let json = #"{"aps":{"alert":{"title":"Door","body":"B"},"thread-id":"door"}}"#
        #expect(try message(json).chat == .conversation("zpns:door"))
        #expect(try message(#"{"aps":{"alert":"B"}}"#).chat == .conversation("zpns"))
    }

    @Test("Its interruption level becomes its urgency")
    func interruption() throws {
        func message(_ level: String) throws -> IncomingMessage {
            try self.message(#"{"aps":{"alert":"B","interruption-level":"\#(level)"}}"#)
        }
        let passive = try message("passive")
        #expect(passive.isSilent && passive.presentation?.isLow == true)
        #expect(try message("critical").presentation?.isCritical == true)
        for level in ["active", "time-sensitive", "unknown"] {
            let found = try message(level)
            #expect(!found.isSilent && found.presentation?.isCritical == false)
        }
    }

    @Test("Keys use the application's own sentences, if its registration has them")
    func keys() throws {
        let looks = #"{"loc_keys":{"G":"%2$@ and %@ at 100%%: {1}","T":"Game","O":"Open"}}"#
        let json =
            #"{"aps":{"alert":{"title-loc-key":"T","loc-key":"G","loc-args":["a",2],"action-loc-key":"O"}}}"#
        let found = try message(json, looks)
        #expect(found.presentation?.body == "2 and a at 100%: a")
        #expect(found.presentation?.title == "Game" && found.presentation?.defaultAction == "Open")
        let unknown = try message(json)
        #expect(unknown.presentation?.body == "a 2" && unknown.presentation?.title == "T")
        let written = json.replacing(#""loc-key":"G""#, with: #""loc-key":"G","body":"B""#)
        #expect(try message(written).presentation?.body == "B")
    }

    @Test(
        "No template crashes",
        arguments: [
            ("%", "%"), ("%%%", "%%"), ("%@%@%@", "ab"), ("%9$@", ""), ("%0$@", "%0$@"),
            ("%99999999999999999999$@", "%99999999999999999999$@"), ("{0}{x", "{0}{x"),
            ("%-1$@", "%-1$@"), ("%d", "%d"),
        ])
    func templates(template: String, text: String) {
        #expect(TemplateText(apple: template[...]).filled(["a", "b"]) == text)
    }

    @Test("A badge alone shows nothing but is announced, even if it is 0")
    func badge() throws {
        #expect(
            try events(#"{"aps":{"badge":3}}"#) == [.badge(unread: 3, missedCalls: nil)])
        #expect(try events(#"{"aps":{"badge":0}}"#) == [.badge(unread: 0, missedCalls: nil)])
        #expect(try events(#"{"aps":{"badge":-1}}"#) == [.ignored])
        #expect(try events(#"{"aps":{"badge":9223372036854775808}}"#) == [.ignored])
    }

    @Test("A badge of 0 beside a text removes nothing from the screen")
    func badgeBesideWords() throws {
        for count in [0, 2] as [Int64] {
            let found = try events(#"{"aps":{"alert":"B","badge":\#(count)}}"#)
            #expect(found.first == .unread(count) && found.count == 2)
        }
    }

    @Test("A push that only wakes the application is a reason to fetch")
    func background() throws {
        #expect(
            try events(#"{"aps":{"content-available":1},"x":1}"#)
                == [.fetchRequired(reason: "content_available", details: [])])
        #expect(try events(#"{"aps":{"sound":"x"}}"#) == [.ignored])
    }
}
