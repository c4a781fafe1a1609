import Base
import Testing

@testable import HTTP

@Suite("Header fields")
struct HTTPFieldsTests {
    private func fields(_ pairs: (name: String, value: String)...) -> HTTPFields {
        var fields = HTTPFields()
        for pair in pairs {
            let (name, value) = (Array(pair.name.utf8), Array(pair.value.utf8))
            _ = fields.append(name.span, value.span)
        }
        return fields
    }

    @Test("A field is found in any case, and its lines are joined in order")
    func lookUp() throws {
        let fields = fields(("TTL", "60"), ("Crypto-Key", "dh=a"), ("crypto-key", "p256ecdsa=b"))
        let ttl = try #require(fields.firstValue(of: "ttl"))
        #expect(fields.text(ttl) == "60")
        #expect(fields.joinedValue(of: "CRYPTO-KEY") == Array("dh=a, p256ecdsa=b".utf8))
        #expect(fields.joinedValue(of: "crypto-ke") == nil)
        #expect(fields.contains("Ttl") && !fields.contains("Topic"))
    }

    @Test("An empty field is not a missing field")
    func emptyValue() {
        #expect(fields(("Topic", "")).joinedValue(of: "topic") == [])
    }

    @Test("All fields can be visited in order")
    func inOrder() {
        var seen: [String] = []
        fields(("A", "b"), ("C", "d")).forEach { name, value in
            seen.append(String(decoding: name.array(name.indices), as: UTF8.self))
            seen.append(String(decoding: value.array(value.indices), as: UTF8.self))
        }
        #expect(seen == ["A", "b", "C", "d"])
    }

    @Test("Memory is reused for the next fields")
    func reuse() {
        var fields = fields(("A", "b"))
        fields.removeAll()
        #expect(fields.count == 0 && !fields.contains("A"))
    }
}
