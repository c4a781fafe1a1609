import Base
import Foundation
import TestSupport
import Testing

@Suite("bellwire receiver-id")
struct ReceiverIDTests {
    private func run(_ lines: [String]) throws -> [String] {
        let input = Data(lines.map { $0 + "\n" }.joined().utf8)
        let outcome = try Program.run(["receiver-id"], input: input)
        #expect(outcome.exitCode == 0 && outcome.errors.isEmpty)
        return outcome.output.split(separator: "\n").map(String.init)
    }

    @Test("Every recorded payload has the recorded receiver")
    func recorded() throws {
        let rows = try Vectors.lines(of: "tdlib-push-receiver-id.jsonl")
        let answers = try run(rows.map { $0["payload"]?.canonical ?? "" })
        try #require(answers.count == rows.count && rows.count == 77)
        for (row, answer) in zip(rows, answers) {
            let name = row["name"]?.text ?? ""
            let expected =
                if let id = row["id"]?.text {
                    "{\"id\":\"\(id)\"}"
                } else if let error = row["error"] {
                    "{\"error\":\(error.canonical)}"
                } else {
                    // TDLib crashes here.
                    #"{"error":{"code":400,"message":"Failed to base64url-decode payload"}}"#
                }
            #expect(answer == expected, "\(name)")
        }
    }

    @Test("A malformed line is answered; an empty one is not")
    func lines() throws {
        let answers = try run(["", "{}", "\"{}\"", "\"", "5", "\r"])
        let bad = #"{"error":{"code":400,"message":"bad-input"}}"#
        #expect(answers == [bad, #"{"id":"0"}"#, bad, bad])
    }
}
