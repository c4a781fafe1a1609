import Base
import System
import Topics

extension Command {
    static let foreignImportOptions = [
        Option("user", "NAME", of: "ntfy", "gotify", help: "take what this user of it may use"),
        Option(
            "open", "NAME", of: "ntfy", "gotify",
            help: "let everybody push to this topic; once for each"),
        Option("scheduled", of: "ntfy", help: "take messages that are not due yet, too"),
        Option("users", "FILE", of: "ntfy", help: "the file with its users (auth-file)"),
        Option(
            "attachments", "FOLDER", of: "ntfy",
            help: "the folder with its files (attachment-cache-dir)"),
        Option("topic", "NAME", of: "ntfy", help: "take this topic over the API; once for each"),
        Option(
            "token-file", "FILE", of: "ntfy", "gotify",
            help: "for an address: a file that you alone can read, with a token or USER:PASSWORD; "
                + "- for standard input"),
        Option(
            "ca-file", "FILE", of: "ntfy", "gotify",
            help: "for an address: trust these certificates instead of the system's"),
        Option(
            "state", "FOLDER", of: "ntfy", "gotify",
            help: "the state folder of the server that takes it"),
        Option(
            "config", "FILE", of: "ntfy", "gotify",
            help: "the configuration of the server that takes it"),
    ]

    static func importFromNtfy(_ arguments: Arguments) throws -> ExitCode {
        let place = arguments.positional.first ?? NtfyConfiguration.usual
        let now = Int64(WallClock.now)
        guard !place.isWebAddress else {
            return try importFrom(
                NtfyServer(
                    try api(place, keyField: nil, arguments), topics: arguments.all("topic") ?? [],
                    wantsScheduled: arguments.has("scheduled")), arguments, now)
        }
        guard !arguments.has("topic"), !arguments.has("token-file") else {
            throw CommandError.usage("--topic and --token-file are for the address of a server")
        }
        let isConfiguration = place.hasSuffix(".yml") || place.hasSuffix(".yaml")
        let text = isConfiguration ? try TextFile.read(place) : []
        let configuration = NtfyConfiguration(String(decoding: text, as: UTF8.self))
        guard let cache = isConfiguration ? configuration.cache : place else {
            throw CommandError(
                message: "\(Printable.text(place)) names no cache-file",
                hint: "ntfy then keeps messages in memory: name its address, while it runs")
        }
        let users = arguments["users"] ?? configuration.users
        let database = try NtfyDatabase(
            cache: cache, users: users,
            attachments: arguments["attachments"] ?? configuration.attachments,
            usualRights: configuration.users == nil ? [] : configuration.usualRights, now: now)
        return try importFrom(database, arguments, now)
    }

    static func importFromGotify(_ arguments: Arguments) throws -> ExitCode {
        let place = arguments.positional[0]
        let source: any ForeignSource =
            place.isWebAddress
            ? GotifyServer(try api(place, keyField: "X-Gotify-Key", arguments))
            : try GotifyDatabase(place)
        return try importFrom(source, arguments, Int64(WallClock.now))
    }

    private static func api(
        _ address: String, keyField: String?, _ arguments: Arguments
    ) throws -> ForeignAPI {
        try ForeignAPI(
            address, try ForeignSecret(arguments), keyField: keyField,
            authority: arguments["ca-file"])
    }

    private static func importFrom(
        _ source: any ForeignSource, _ arguments: Arguments, _ now: Int64
    ) throws -> ExitCode {
        let control = try ControlConnection(arguments)
        var wish = ImportPlan.Wish()
        wish.user = arguments["user"]
        wish.open = Set(arguments.all("open") ?? [])
        let plan = try ImportPlan(try source.survey(), wish)
        // The report is one JSON object, which lines of progress would not be a part of.
        let progress = arguments.has("json") ? nil : Progress(Progress.Form(arguments))
        let run = ImportRun(
            plan: plan, source: source, control: control, isDryRun: arguments.has("dry-run"),
            takesScheduled: arguments.has("scheduled"), now: now, progress: progress)
        let report = try run.report()
        _ = try arguments.print(report.text, report.append)
        return report.isWhole ? .success : .refused
    }
}
