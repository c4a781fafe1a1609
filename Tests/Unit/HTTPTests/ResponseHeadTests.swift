import Testing

@testable import HTTP

@Suite("HTTP/1.1 answers")
struct ResponseHeadTests {
    private func text(
        _ status: Int, length: Int = 0, _ persistence: HTTP1Persistence = .implied,
        date: String = "", fields: [(StaticString, String)] = []
    ) -> String {
        var head = ResponseHead(status: status)
        for (name, value) in fields { head.fields.append(name, value) }
        var output = Array("before".utf8)
        head.appendHTTP1(
            to: &output, contentLength: length, persistence,
            dateLine: Array((date.isEmpty ? "" : "Date: \(date)\r\n").utf8))
        return String(decoding: output.dropFirst(6), as: UTF8.self)
    }

    @Test("An answer has its fields, a date and a length")
    func whole() {
        let text = text(
            201, length: 1234567890, date: "Sat, 21 Nov 2026 10:00:00 GMT",
            fields: [("Location", "/m/1"), ("TTL", "60")])
        #expect(
            text == """
                HTTP/1.1 201 Created\r
                Location: /m/1\r
                TTL: 60\r
                Date: Sat, 21 Nov 2026 10:00:00 GMT\r
                Content-Length: 1234567890\r
                \r

                """)
    }

    @Test("Fields that were made before are added as they are")
    func prepared() {
        var ending = ResponseFields()
        ending.append("Cache-Control", "no-store")
        ending.append("Vary", "Origin")
        var fields = ResponseFields()
        fields.append("TTL", "60")
        fields.append(ending)
        let text = fields.text
        #expect(text == Array("TTL: 60\r\nCache-Control: no-store\r\nVary: Origin\r\n".utf8))
        let lines = (0..<fields.count).map { line in
            [fields.name(at: line), fields.value(at: line)]
                .map { String(decoding: text[$0], as: UTF8.self) }
        }
        #expect(lines == [["TTL", "60"], ["Cache-Control", "no-store"], ["Vary", "Origin"]])
    }

    @Test("A value cannot end its line")
    func splitting() {
        #expect(
            text(201, fields: [("TTL", "60"), ("Location", "/m/1\r\nSet-Cookie: a\0")])
                .contains("\r\nTTL: 60\r\nLocation: /m/1  Set-Cookie: a \r\n"))
    }

    @Test("An answer without a body does not name a length", arguments: [101, 204])
    func noLength(_ status: Int) {
        #expect(!text(status).contains("Content-Length"))
    }

    @Test("An empty body has length 0")
    func emptyBody() {
        #expect(text(410).hasSuffix("Content-Length: 0\r\n\r\n"))
    }

    @Test("The client is told whether the connection continues")
    func persistence() {
        #expect(!text(200).contains("Connection"))
        #expect(text(200, .close).contains("\r\nConnection: close\r\n"))
        #expect(text(200, .keepAlive).contains("\r\nConnection: keep-alive\r\n"))
    }

    @Test("Every refusal has a status with a reason phrase", arguments: HTTPRefusal.allCases)
    func refusals(_ refusal: HTTPRefusal) {
        #expect((400...599).contains(refusal.status))
        #expect(!text(refusal.status).contains(" Status\r\n"))
    }
}
