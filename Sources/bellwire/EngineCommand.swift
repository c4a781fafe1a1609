import Base
import System

extension Command {
    static let engine = Command(
        name: "engine",
        summary: "run the notification engine on the standard streams",
        forms: ["--replay"],
        details: """
            --replay reads one recorded story a line and prints one line for each, in order:

              {"name", "steps": [{"result", "updates"}]}
            """,
        options: [
            Option("replay", help: "play recorded stories instead of serving a client")
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("engine reads standard input only")
        }
        guard arguments.has("replay") else {
            throw CommandError.usage("say what to do", hint: "bellwire engine --replay")
        }
        var lines = LineReader(limit: 64 << 20)
        while let line = try lines.next() {
            guard case .bytes(let bytes) = line else {
                throw CommandError(message: "a story is too long")
            }
            if bytes.allSatisfy({ $0 == UInt8(ascii: "\r") }) { continue }
            guard let document = try? JSONDocument(bytes), document.root.kind == .object else {
                throw CommandError(message: "a line is no story")
            }
            var replay = Replay(document.root)
            try StandardOutput.write(replay.play() + "\n")
        }
        return .success
    }
}
