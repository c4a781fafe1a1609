import Base
import Glibc
import System

extension Command {
    static let watch = Command(
        name: "watch",
        summary: "show the notifications of an account, and act on them",
        details: """
            On a terminal, watch shows the notifications as they stand, with keys to open, dismiss,
            mute and reply; press ? to see them all. Elsewhere, and with --plain, it prints a line
            for each change. Without --account, watch shows the only account that has a
            registration. If the server goes away, watch waits until it is back. --json prints the
            engine's objects unchanged, one per line.
            """,
        options: [
            Option("app", "NAME", help: "the application, if several have this account"),
            Option("account", "NAME", help: "the account"),
            .plain,
        ] + serverOptions,
        examples: [
            Example("bellwire watch", help: "show the notifications of your only account"),
            Example(
                "bellwire watch --app telegram --account me --json",
                help: "print those of one account, one JSON object per line"),
        ]
    ) { arguments in
        guard arguments.positional.isEmpty else {
            throw CommandError.usage("watch takes options only", hint: "see bellwire watch --help")
        }
        let control = try ControlConnection(arguments)
        let (app, account) = try account(arguments, control)
        let opening = opening(app, account)
        if arguments.wantsView {
            let view = WatchView(
                app.map { "\($0)/\(account)" } ?? account, .own, opensLinks: LinkOpener.hasScreen)
            let session = try WatchSession(view, TerminalShell())
            // Its feed and its shell do not keep it.
            try withExtendedLifetime(session) {
                try session.run(control.address, opening: opening)
            }
            return .success
        }
        let watch = Watch(opening: opening, printsJSON: arguments.has("json"))
        while true {
            try watch.follow(control)
            if !arguments.has("json") {
                try StandardOutput.write("the server is gone; waiting for it\n")
            }
            watch.await(control)
        }
    }

    /// The first line that is sent.
    private static func opening(_ app: String?, _ account: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("@type", "bellwire.open")
            if let app { writer.member("app", app) }
            writer.member("account", account)
            // A viewer only watches: what waits for the application stays.
            writer.member("role", "viewer")
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func account(
        _ arguments: Arguments, _ control: ControlConnection
    ) throws -> (app: String?, account: String) {
        let app = arguments["app"]
        if let account = arguments["account"] { return (app, account) }
        let answer = try control.send("GET", RegistrationsPath.all)
        let list = (try? JSONDocument(answer))?.root["registrations"]?.elements ?? []
        let all = list.map { [$0["app"]?.text ?? "", $0["account"]?.text ?? ""] }
        let found = Set(all).filter { app == nil || $0[0] == app }
        guard let only = found.first, found.count == 1 else {
            throw CommandError.usage(
                found.isEmpty ? "there is no registration" : "say which account",
                hint: found.isEmpty
                    ? "bellwire register --help" : "run bellwire list to see all registrations")
        }
        return (only[0], only[1])
    }

    /// What the engine says to a client that it does not take.
    static func refusal(_ answer: JSONNode) -> CommandError {
        CommandError(
            message: Printable.text(answer["message"]?.text ?? "the server refused the connection"),
            hint: "run bellwire list to see all registrations", exitCode: .refused)
    }
}

/// Connects to an engine and prints its updates.
private struct Watch {
    private static let lineLimit = 64 << 20
    private static let pause: UInt32 = 1

    let opening: [UInt8]
    let printsJSON: Bool
    private let text = WatchText(
        hasColour: StandardOutput.isTerminal && RawTerminal.wantsColour)

    init(opening: [UInt8], printsJSON: Bool) {
        self.opening = opening
        self.printsJSON = printsJSON
    }

    /// Returns when the server ends the connection.
    func follow(_ control: ControlConnection) throws {
        var stream = try control.stream(lineLimit: Self.lineLimit)
        var isOpen = false
        // A broken connection is treated like a closed one.
        guard (try? stream.write(opening.span)) != nil else { return }
        while let line = try? stream.next() {
            guard case .bytes(let bytes) = line, let document = try? JSONDocument(bytes) else {
                throw CommandError(message: "the server's answer cannot be read")
            }
            if !isOpen {
                guard document.root["@type"]?.text != "error" else {
                    throw Command.refusal(document.root)
                }
                isOpen = true
            } else if printsJSON {
                try StandardOutput.write(bytes.span)
                try StandardOutput.write("\n")
            } else {
                try StandardOutput.write(text.lines(document.root))
            }
        }
    }

    func await(_ control: ControlConnection) {
        repeat { sleep(Self.pause) } while !control.isThere
    }
}
