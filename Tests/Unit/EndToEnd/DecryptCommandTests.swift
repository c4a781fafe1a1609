import Foundation
import TestSupport
import Testing

@Suite("bellwire decrypt")
struct DecryptCommandTests {
    private func run(_ lines: [String]) throws -> [String] {
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        let outcome = try Program.run(["decrypt"], input: input)
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    private static func line(
        _ vector: WebPushVector, _ changes: [String: Any] = [:]
    ) throws -> String {
        var object: [String: Any] = [
            "id": vector.id, "priv": vector.priv ?? "", "pub": vector.pub ?? "",
            "auth": vector.auth ?? "", "encoding": vector.encoding, "body": vector.body ?? "",
        ]
        if let headers = vector.headers { object["headers"] = headers.mapValues(\.value) }
        object.merge(changes) { _, new in new }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private static func answer(_ line: String) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }

    @Test("All vectors in one go, in order, with their ids")
    func vectors() throws {
        let vectors = try WebPushVector.all("webpush")
        let answers = try run(try vectors.map { try Self.line($0) })
        try #require(answers.count == vectors.count)
        for (vector, line) in zip(vectors, answers) {
            let answer = try Self.answer(line)
            #expect(answer["id"] == vector.id && answer.count == 2)
            if vector.must != "either" {
                #expect(answer["ok"] == vector.strict.ok, "\(vector.id)")
                #expect((answer["error"] == nil) == (vector.strict.error == nil), "\(vector.id)")
            }
        }
    }

    @Test("The first failed check is the result")
    func order() throws {
        let vector = try #require(try WebPushVector.all("webpush").first { $0.id == "rfc8291-5" })
        let other =
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        let offCurve = "B" + String(repeating: "A", count: 85) + "E"
        let cases: [([String: Any], String)] = [
            (["encoding": "AES128GCM", "priv": ""], "unsupported-encoding"),
            (["priv": "", "auth": ""], "bad-private-key"),
            (["auth": "", "pub": ""], "bad-auth-length"),
            (["pub": "", "body": ""], "bad-point-format"),
            (["pub": offCurve, "body": ""], "bad-point"),
            (["pub": other, "body": ""], "key-mismatch"),
            (["body": ""], "short-header"),
            (["encoding": "aesgcm", "body": ""], "missing-encryption"),
            (
                ["encoding": "aesgcm", "headers": ["encryption": ["a=b", "c=d"]]],
                "missing-crypto-key"
            ),
            (["priv": "a b"], "bad-input"), (["body": "AA=="], "bad-input"),
            (["auth": 1], "bad-input"), (["encoding": ["aes128gcm"]], "bad-input"),
            (["encoding": "aesgcm", "headers": 1], "bad-input"),
            (["body": String(repeating: "AAAA", count: 349_526)], "too-large"),
        ]
        let answers = try run(try cases.map { try Self.line(vector, $0.0) })
        for (line, (changes, word)) in zip(answers, cases) {
            #expect(try Self.answer(line)["error"] == word, "\(changes.keys.sorted())")
        }
    }

    @Test("Malformed lines are answered; empty lines are not")
    func lines() throws {
        let vector = try #require(try WebPushVector.all("webpush").first)
        let good = try Self.line(vector, ["headers": 17, "extra": [1, ["a": NSNull()]]])
        let answers = try run(["", "x", "[]", "{}", " ", "{\"id\":7}", good, "", "null"])
        #expect(answers.count == 7)
        #expect(answers[4] == #"{"id":7,"error":"bad-input"}"#)
        #expect(try Self.answer(answers[5])["ok"] != nil)
        #expect([0, 1, 2, 3, 6].allSatisfy { answers[$0] == #"{"error":"bad-input"}"# })
    }

    @Test("The last line needs no line feed, and carriage returns do not matter")
    func lineEnds() throws {
        let outcome = try Program.run(["decrypt"], input: Data("{}\r\n\r\n{}".utf8))
        #expect(outcome.output == String(repeating: "{\"error\":\"bad-input\"}\n", count: 2))
    }
}
