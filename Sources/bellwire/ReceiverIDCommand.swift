import Base
import Notifications
import System

extension Command {
    static let receiverID = Command(
        name: "receiver-id",
        summary: "print which account each push payload is for",
        details: """
            Reads payloads from standard input, one JSON string per line, and prints one line for
            each, in the same order:

              {"id": "N"} or {"error": {"code", "message"}}

            N is a user id, or the id of the key that encrypts the payload; 0 means every account.
            """,
        examples: [
            Example(
                "bellwire receiver-id < payloads.jsonl",
                help: "print the account of each payload in a file"),
            Example(
                "echo '\"{}\"' | bellwire receiver-id",
                help: "print the account of one payload; this one is an empty object"),
        ]
    ) { arguments in
        var lines = LineReader(limit: 16 << 20)
        while let line = try lines.next() {
            guard case .bytes(let bytes) = line else {
                try StandardOutput.write(refusal("bad-input"))
                continue
            }
            if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
            try StandardOutput.write(answer(to: bytes))
        }
        return .success
    }

    private static func answer(to line: [UInt8]) -> String {
        guard let document = try? JSONDocument(line), let payload = document.root.text else {
            return refusal("bad-input")
        }
        do throws(PushReceiver.Refusal) {
            let id = try PushReceiver.id(of: Array(payload.utf8))
            return JSONWriter.line { $0.member("id", String(id)) }
        } catch {
            return refusal(error.message)
        }
    }

    /// The output line for a line that cannot be read.
    static func refusal(_ message: String) -> String {
        JSONWriter.line { writer in
            writer.name("error")
            writer.object { writer in
                writer.member("code", 400)
                writer.member("message", message)
            }
        }
    }
}
