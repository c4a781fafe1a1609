import Base
import TestSupport
import Testing

@testable import Topics

@Suite("Requests that nobody means well")
struct HostilePublishTests {
    private static let names = [
        "message", "title", "priority", "tags", "delay", "timezone", "actions", "click", "icon",
        "attach", "filename", "markdown", "cache", "up", "poll-id", "template", "sid", "raw",
        "content-type", "content-encoding", "x-github-event", "e", "call",
    ]

    private static let words = [
        "", "1", "yes", "no", "5", "high", "u=1", "https://h/a/b.png?c", "http://", "10m", "-1s",
        "tomorrow, 9am", "9999999999999999999", "view, L, https://h", "[{}]",
        "[{\"action\":\"copy\"}]",
        "{{.a}}", "{{range .a}}{{.}}{{end}}", "{{", "=?utf-8?b?////?=", "=?utf-8?q?=C3?=", "a,b,,c",
        "\u{0}", "\u{202E}x", "\\n\\n", "%", "%00", "%ff", "text/markdown", "application/json",
        "multipart/form-data; boundary=b", "aes128gcm", "github", "alertmanager", "../../x",
        String(repeating: "x", count: 600), String(repeating: "ü,", count: 700),
    ]

    private static let bodies = [
        "", " ", "text", "{}", "[]", "{\"a\":[1,2]}", "{\"topic\":\"t\",\"tags\":[\"a\"]}",
        "--b\r\nContent-Disposition: form-data; name=message\r\n\r\nx\r\n--b--", "{\"text\":\"s\"}",
        "{\"message\":\"m\",\"title\":\"t\",\"priority\":-9}", String(repeating: "x", count: 5_000),
        String(repeating: "[", count: 200), "{\"topic\":\"t\",\"message\":\"\\ud800\\u0000\"}",
    ]

    @Test("Any request becomes a message that its readers can read, or is refused")
    func requests() throws {
        var numbers = SeededGenerator(seed: 7)
        var (accepted, refused) = (0, 0)
        for turn in 0..<4_000 {
            var request = WrittenRequest(Self.bodies.randomElement(using: &numbers) ?? "")
            for _ in 0..<Int.random(in: 0...4, using: &numbers) {
                let name = Self.names.randomElement(using: &numbers) ?? ""
                let word = Self.words.randomElement(using: &numbers) ?? ""
                request.headers.append((name, word))
                if Bool.random(using: &numbers) { request.query += "&" + name + "=" + word }
            }
            if turn % 3 == 0 { request.body.append(UInt8.random(in: 0...255, using: &numbers)) }
            request.mayUpload = turn % 2 == 0
            do {
                let isJSON = turn % 5 == 0
                try check(isJSON ? request.publicationOfJSON() : request.publication())
                accepted += 1
            } catch let refusal as NtfyRefusal {
                #expect((400...413).contains(refusal.http))
                refused += 1
            }
        }
        #expect(accepted > 500)
        #expect(refused > 500)
    }

    private func check(_ publication: Publication) throws {
        let id = TopicMessageID(number: 1)
        let message = publication.message(id, now: WrittenRequest.now, keptFor: 60)
        let content = message.content
        #expect(content.text.isEmpty == false)
        #expect(content.text.utf8.count <= Publication.anonymousLimit)
        #expect(content.title.utf8.count <= Publication.titleLimit)
        #expect(content.actions.count <= TopicAction.most)
        #expect(publication.upload == nil || content.attachment != nil)
        let topic = try #require(TopicName("t"))
        let root = try JSONDocument(NtfyJSON.message(message, topic: topic)).root
        #expect(root["id"]?.text == id.text)
        #expect(root["message"]?.text == content.text)
        let priority = try #require(root.has("priority") ? root["priority"]?.integer : 3)
        #expect((1...5).contains(priority))
    }

    @Test("Any path is one of ntfy's, or refused")
    func paths() {
        var numbers = SeededGenerator(seed: 11)
        let letters = Array("/a,%2FfF.~-_\u{0}ü".utf8)
        let methods = ["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH", "OPTIONS", ""]
        var found = 0
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...12, using: &numbers)
            let path =
                [UInt8(ascii: "/")]
                + (0..<length).map { _ in letters.randomElement(using: &numbers) ?? 0 }
            let method = methods.randomElement(using: &numbers) ?? ""
            if (try? NtfyRoute(method: method, path: path.span)) != nil { found += 1 }
        }
        #expect(found > 500)
    }
}
