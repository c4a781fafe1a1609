import Foundation
import Testing

@testable import PushService

@Suite("Files of topics")
struct AttachmentTests {
    private let fixture: PushFixture
    private let bearer: String

    init() throws {
        fixture = try PushFixture()
        bearer = try fixture.addCredential()
    }

    private func publish(
        _ body: [UInt8], _ fields: PushFixture.Fields = [], to path: String = "/t"
    ) throws -> [String: Any] {
        let credential = [("Authorization", "Bearer \(bearer)")]
        let answer = try fixture.request("PUT", path, credential + fields, body: body)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.object()
    }

    private func attachment(_ members: [String: Any]) -> [String: Any] {
        members["attachment"] as? [String: Any] ?? [:]
    }

    @Test("A file with a name is kept, and found at the address that its message tells")
    func file() throws {
        let message = try publish(
            Array("<html>x".utf8), [("Filename", "a \"b\"/é.html"), ("Message", "See")])
        let attachment = attachment(message)
        #expect(message["message"] as? String == "See")
        #expect(attachment["size"] as? Int == 7)
        #expect(attachment["expires"] as? Int == message["expires"] as? Int)
        let url = try #require(attachment["url"] as? String)
        #expect(url.hasPrefix("https://push.example/file/") && url.hasSuffix(".html"))
        let file = try fixture.request("GET", url)
        #expect(file.status == 200 && file.text == "<html>x")
        #expect(file["content-disposition"]?.hasPrefix("attachment; filename=\"") == true)
        #expect(file["content-security-policy"] == "sandbox; default-src 'none'")
        #expect(file["x-content-type-options"] == "nosniff")
        let head = try fixture.request("HEAD", url)
        #expect(head.status == 200 && head["content-length"] == "7")
        let kept = try #require(try fixture.history("t").first?.content.attachment)
        #expect(kept.url == url && kept.size == 7)
    }

    @Test("What is too long for a text or is none becomes a file, and a picture may be shown")
    func automatic() throws {
        let long = attachment(try publish(Array(repeating: 0x61, count: 4_097)))
        #expect(long["name"] as? String == "attachment.txt")
        let picture = try publish([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(picture["message"] as? String == "You received a file: attachment.png")
        let url = try #require(attachment(picture)["url"] as? String)
        let answer = try fixture.request("GET", url)
        #expect(answer["content-type"] == "image/png")
        #expect(answer["content-disposition"]?.hasPrefix("inline") == true)
    }

    @Test("A long file comes whole")
    func long() throws {
        let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let url = try #require(attachment(try publish(bytes, [("f", "x")]))["url"] as? String)
        let socket = try ByteSocket(port: fixture.port)
        socket.send(PushFixture.bytes("GET", url, [("Connection", "close")], body: nil))
        #expect(socket.head().contains("Transfer-Encoding: chunked"))
        var read: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while line.suffix(2) != [0x0D, 0x0A] { line += socket.bytes(1) }
            let digits = String(decoding: line.dropLast(2), as: UTF8.self)
            let count = try #require(Int(digits, radix: 16))
            guard count > 0 else { break }
            read += socket.bytes(count)
            _ = socket.bytes(2)
        }
        #expect(read == bytes)
        #expect(try fixture.request("HEAD", url)["content-length"] == "3000001")
    }

    @Test("A file ends with its message")
    func end() throws {
        let url = try #require(
            attachment(try publish([1, 0xFF], to: "/t/s"))["url"] as? String)
        #expect(try fixture.request("GET", url).status == 200)
        _ = try fixture.ntfy("DELETE", "/t/s", bearer)
        #expect(try fixture.request("GET", url).refusal == 40401)
        #expect(try fixture.request("GET", "/file/AAAAAAAAAAAAAAAAAAAAAA.txt").refusal == 40401)
        #expect(try fixture.request("GET", "/file/x").refusal == 40401)
    }

    @Test("Without attachments, a file is refused and no topic is made of it")
    func off() throws {
        fixture.store.index.files.allow(0)
        let answer = try fixture.request(
            "POST", "/t", [("Authorization", "Bearer \(bearer)")], body: [0xFF])
        #expect(answer.refusal == 40014)
        #expect(try fixture.device(ofTopic: "t") == nil)
        fixture.store.index.files.allow(10)
        let large = try fixture.request(
            "POST", "/t", [("Authorization", "Bearer \(bearer)"), ("f", "x")],
            body: [UInt8](repeating: 1, count: 11))
        #expect(large.refusal == 41301)
        #expect(try fixture.history("t").isEmpty)
    }
}
