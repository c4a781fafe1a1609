import Base
import System

extension Command {
    static let engine = Command(
        name: "engine",
        summary: "run the notification engine on standard input and output",
        forms: ["--database DIR", "--replay"],
        details: """
            With --database it speaks TDLib's JSON: it reads one request per line and writes
            updates and answers. DIR is created if it is missing; its contents are sealed under the
            key in master.json. Messages are in the language of LC_MESSAGES if share/bellwire/lang
            has a table for it.

            --replay reads one recorded story per line and prints one line for each, in the same
            order:

              {"name", "steps": [{"result", "updates"}]}

            or {"error": {"code", "message"}} for a line that is not a story.
            """,
        options: [
            Option("database", "DIR", help: "the folder that stores the account"),
            Option("replay", help: "replay recorded stories instead of serving a client"),
        ],
        examples: [
            Example(
                "bellwire engine --database ~/.local/state/bellwire-engine",
                help: "serve one client, and keep its notifications in this folder"),
            Example(
                "bellwire engine --replay < Tests/Vectors/tdlib-engine-scenarios.jsonl",
                help: "replay recorded stories; run it in a checkout of the sources"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("engine reads standard input; it takes options only")
        }
        switch (arguments["database"], arguments.has("replay")) {
        case (let folder?, false):
            var streams = try EngineStreams(folder: folder)
            try streams.run()
        case (nil, true): try replay()
        default:
            throw CommandError.usage(
                "give either --database or --replay", hint: "see bellwire engine --help")
        }
        return .success
    }

    private static func answer(to line: LineReader.Line) -> String {
        guard case .bytes(let bytes) = line else { return Replay.refusal("The story is too long") }
        guard let document = try? JSONDocument(bytes), document.root.kind == .object else {
            return Replay.refusal("The line is not a story")
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
