import Base
import Crypto
import System
import WebPush

extension Command {
    static let decrypt = Command(
        name: "decrypt",
        summary: "decrypt Web Push messages from standard input",
        details: """
            Reads one JSON object per line and prints one per line, in the same order:

              {"id", "priv", "pub", "auth", "encoding", "headers", "body"}
              {"id", "ok": TEXT} or {"id", "error": WORD}

            priv (32 bytes), pub (65), auth (16), body and the printed text are base64url without
            padding. encoding is aes128gcm, aesgcm (headers then holds the fields Encryption and
            Crypto-Key, each a text or a list of texts) or aesgcm-gateway (the fields are in the
            body). id and headers are optional; id is copied to the output.
            """,
        examples: [
            Example("bellwire decrypt < messages.jsonl", help: "decrypt the messages in a file"),
            Example(
                "bellwire decrypt < Tests/Vectors/rfc8291-message.jsonl",
                help: "decrypt the example of RFC 8291; run it in a checkout of the sources"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("decrypt reads standard input only")
        }
        var decryptor = try Decryptor()
        var lines = LineReader(limit: 16 << 20)
        while let line = try lines.next() {
            switch line {
            case .bytes(let bytes):
                if bytes.isEmpty || bytes == [UInt8(ascii: "\r")] { continue }
                let task = DecryptionTask(line: bytes)
                let result = try task.decrypt(with: &decryptor)
                try StandardOutput.write(answer(to: task.id, result))
            case .tooLong:
                try StandardOutput.write(answer(to: nil, .failure(.tooLarge)))
            }
        }
        return .success
    }

    private static func answer(
        to id: String?, _ result: Result<[UInt8], DecryptionRefusal>?
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            if let id {
                writer.name("id")
                writer.foreign(id.drop { $0.isWhitespace })
            }
            switch result {
            case .success(let text): writer.member("ok", Base64URL.text(text.span))
            case .failure(let refusal): writer.member("error", refusal.rawValue)
            case nil: writer.member("error", "bad-input")
            }
        }
        return writer.text + "\n"
    }
}
