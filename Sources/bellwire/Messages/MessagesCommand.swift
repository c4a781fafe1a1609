import Base
import Configuration
import Glibc
import System

extension Command {
    static let messages = Command(
        name: "messages",
        summary: "list and search what came to your topics",
        forms: ["[TOPIC]"],
        details: """
            Asks the running server through its control socket, and prints what your topics have
            kept, the newest last; without TOPIC, of all topics. --since takes a length of time, as
            2h; a time, as "2026-11-29 08:00", "08:00" or seconds since 1970; or the id of a
            message, and prints what came later. Without it, or --search, you get the newest 20.
            --follow goes on with what comes, also after the server was away. --json prints an
            object a line, with the members that ntfy gives a message.
            """,
        options: [
            Option("since", "TIME|ID", help: "only what came since then"),
            Option("search", "WORDS", help: "only what has all of these words"),
            Option("limit", "NUMBER", help: "at most so many, the newest"),
            Option("follow", help: "go on with what comes"),
        ] + serverOptions,
        examples: [
            Example("bellwire messages builds --since 1d", help: "print what came within a day"),
            Example(
                "bellwire messages --search \"disk full\" --json",
                help: "find what came to any topic, as JSON for a script"),
        ]
    ) { arguments in
        let control = try ControlConnection(arguments)
        let query = try MessageQuery(arguments, now: Int(WallClock.now))
        let printer = MessagePrinter(
            printsJSON: arguments.has("json"), namesTopic: arguments.positional.isEmpty)
        // What comes from now on is not lost between the list and what follows.
        let began = Int(WallClock.now)
        let listed = try query.list(control)
        for message in listed { try printer.print(message) }
        guard arguments.has("follow") else { return .success }
        let since = listed.last?["id"]?.text ?? query.since ?? "\(began)"
        var follower = MessageFollower(control, query, printer, since: since)
        try follower.run()
    }
}

/// Which messages are asked for.
struct MessageQuery {
    private static let path = "/api/v1/messages"
    private static let (usual, atOnce) = (20, 200)
    /// As many as the history of ten full topics.
    private static let most = 100_000

    private let topic: String?
    let since: String?
    private let search: String?
    private let limit: Int

    init(_ arguments: Arguments, now: Int) throws {
        topic = arguments.positional.first
        search = arguments["search"]
        since = try arguments["since"].map { try MessageTime.word($0, now: now) }
        guard let text = arguments["limit"] else {
            limit = since == nil && search == nil ? Self.usual : Self.most
            return
        }
        guard let number = Int(text), (1...Self.most).contains(number) else {
            throw CommandError.usage("--limit takes 1 to \(Self.most)")
        }
        limit = number
    }

    /// The oldest first.
    func list(_ control: ControlConnection) throws -> [JSONNode] {
        var found: [JSONNode] = []
        var before: String?
        repeat {
            let items = ["limit": "\(min(limit - found.count, Self.atOnce))", "before": before]
            let answer = try control.send("GET", Self.path + query(items, since: since))
            guard let root = JSONNode(json: answer) else { throw CommandError.unreadable }
            found += root["messages"]?.elements ?? []
            before = root["before"].flatMap { $0.textOrNumber }
        } while before != nil && found.count < limit
        return found.reversed()
    }

    func streamPath(since: String) -> String { Self.path + "/stream" + query([:], since: since) }

    private func query(_ items: [String: String?], since: String?) -> String {
        let all = items.merging(["topic": topic, "search": search, "since": since]) { $1 }
        let pairs = all.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.encoded($0))" }
        }
        return pairs.isEmpty ? "" : "?" + pairs.sorted().joined(separator: "&")
    }
}

/// A point in time as typed on a command line.
enum MessageTime {
    /// Seconds since 1970, or the id of a message.
    static func word(_ text: String, now: Int) throws -> String {
        // An id has this form, also one of digits alone.
        let isID = text.utf8.count == 12 && text.utf8.allSatisfy(\.isWordCharacter)
        if isID || !text.isEmpty && text.utf8.allSatisfy(\.isDigit) { return text }
        if let time = seconds(text, now: now) { return "\(time)" }
        // What is no length of time either has an error of its own.
        if let length = try? TimeSpan.typed(text) { return "\(now - length)" }
        throw CommandError.usage(
            "\(Printable.text(text)) is no time and no id",
            hint: "write 2h, 1d, 08:00, \"2026-11-29 08:00\", or the id of a message")
    }

    /// A day, an hour of today, or both, in the local time zone.
    private static func seconds(_ text: String, now: Int) -> Int? {
        var words = text.split { $0 == " " || $0 == "T" }.map { String($0) }
        if text.contains(":"), words.count == 1 {
            words.insert(String(LocalTime.text(now).prefix(10)), at: 0)
        }
        if words.count == 1 { words.append("00:00") }
        guard words.count == 2 else { return nil }
        let day = words[0].split(separator: "-").compactMap { Int32($0) }
        let hour = words[1].split(separator: ":").compactMap { Int32($0) }
        guard day.count == 3, hour.count == 2, (1970...9999).contains(day[0]) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (day[0] - 1_900, day[1] &- 1, day[2])
        (parts.tm_hour, parts.tm_min) = (hour[0], hour[1])
        // The zone says whether it is summer there.
        parts.tm_isdst = -1
        let time = Int(mktime(&parts))
        // The 31st of February would be a day in March.
        return LocalTime.text(time) == words.joined(separator: " ") ? time : nil
    }
}
