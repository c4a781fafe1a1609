import Base
import System

extension Command {
    static let engine = Command(
        name: "engine",
        summary: "run the notification engine on the standard streams",
        forms: ["--database DIR", "--replay"],
        details: """
            With a database it speaks TDLib's JSON: one request a line in, updates and answers out.
            DIR is made if it is missing; what is kept in it is sealed under the key in master.json.
            Sentences are in the language of LC_MESSAGES where share/bellwire/lang has its table.

            --replay reads one recorded story a line and prints one line for each, in order:

              {"name", "steps": [{"result", "updates"}]}

            or {"error": {"code", "message"}} for a line that is no story.
            """,
        options: [
            Option("database", "DIR", help: "where the account is kept"),
            Option("replay", help: "play recorded stories instead of serving a client"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("engine reads standard input only")
        }
        switch (arguments["database"], arguments.has("replay")) {
        case (let folder?, false):
            var streams = try EngineStreams(folder: folder)
            try streams.run()
        case (nil, true): try replay()
        default:
            throw CommandError.usage(
                "say either --database or --replay", hint: "bellwire engine --help")
        }
        return .success
    }

    private static func answer(to line: LineReader.Line) -> String {
        guard case .bytes(let bytes) = line else { return Replay.refusal("The story is too long") }
        guard let document = try? JSONDocument(bytes), document.root.kind == .object else {
            return Replay.refusal("The line is no story")
        }
        var replay = Replay(document.root)
        return replay.play()
    }

    private static func replay() throws {
        var lines = LineReader(limit: 64 << 20)
        while let line = try lines.next() {
            try StandardOutput.write(answer(to: line) + "\n")
        }
    }
}
