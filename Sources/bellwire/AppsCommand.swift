import Base
import Bus
import System
import WebPush

extension Command {
    static let apps = Command(
        name: "apps",
        summary: "list and change the applications that get pushes in this session",
        forms: [
            "list", "remove NAME", "mute NAME", "unmute NAME",
            "urgency NAME very-low|low|normal|high",
        ],
        details: """
            Asks the running desktop service over the session bus. NAME is the bus name in the
            first column of list, which begins with the receivers: whether each is connected, and if
            not, why and since when. remove ends all registrations of the application and tells it so.
            Messages for a muted application wait until you unmute it or they expire. Messages
            below urgency do not start the application; they wait until it runs.
            """,
        options: [.json],
        examples: [
            Example(
                "bellwire apps list",
                help: "list the applications, and how many messages wait for each"),
            Example(
                "bellwire apps mute org.example.App",
                help: "let messages for this application wait until you unmute it"),
        ]
    ) { arguments in
        // The service looks up its caller and refuses one that may be sandboxed.
        try ProcessGuard.showItself()
        let words = arguments.positional
        switch (words.first, words.count) {
        case ("list", 1), (nil, 0): return try listApplications(arguments)
        case ("remove", 2):
            return try change(
                "RemoveApplication", words[1], saying: "removed \(words[1])", arguments
            ) { $0.member("removed", true) }
        case ("mute", 2), ("unmute", 2):
            let isMuted = words[0] == "mute"
            return try change(
                "SetMuted", words[1], .boolean(isMuted), saying: "\(words[0])d \(words[1])",
                arguments
            ) { $0.member("muted", isMuted) }
        case ("urgency", 3):
            guard Urgency(rawValue: words[2]) != nil else {
                throw CommandError.usage(
                    "there is no urgency \(words[2])", hint: "use very-low, low, normal or high")
            }
            return try change(
                "SetLeastUrgency", words[1], .string(words[2]),
                saying: "\(words[1]) is started for \(words[2]) and above", arguments
            ) { $0.member("urgency", words[2]) }
        default:
            throw CommandError.usage(
                "use apps list, or apps remove, mute, unmute or urgency with a NAME",
                hint: "see bellwire apps --help")
        }
    }

    private static func listApplications(_ arguments: Arguments) throws -> ExitCode {
        let values = try DesktopDialogue.call("ListApplications")
        let applications = (values.first?.elements ?? []).map(ApplicationReport.init)
        let answer = try DesktopDialogue.call("ListReceivers")
        let receivers = (answer.first?.elements ?? []).map(ReceiverReport.init)
        try StandardOutput.write(
            arguments.has("json")
                ? ApplicationReport.json(applications, receivers)
                : ApplicationReport.text(applications, receivers))
        return .success
    }

    /// Changes an application and says what has changed.
    private static func change(
        _ member: String, _ service: String, _ values: BusValue..., saying sentence: String,
        _ arguments: Arguments, _ change: (inout JSONWriter) -> Void
    ) throws -> ExitCode {
        _ = try DesktopDialogue.call(member, [.string(service)] + values)
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("service", service)
            change(&writer)
        }
        let text = arguments.has("json") ? writer.text : Printable.text(sentence)
        try StandardOutput.write(text + "\n")
        return .success
    }
}

/// The applications of the desktop service as text.
struct ApplicationReport {
    let service: String
    let description: String
    let sandbox: String
    let registrations: Int
    let isRunning: Bool
    let waiting: Int
    let created: Int
    /// Seconds since 1970; nil if nothing was delivered yet.
    let lastDelivery: Int?
    let isMuted: Bool
    let urgency: String
    let trouble: String?
    /// When its registrations end because no receiver is listed, in seconds since 1970.
    let end: Int?

    init(_ value: BusValue) {
        let members = value.members ?? [:]
        func number(_ name: String) -> Int? { members[name]?.integer.map(Int.init) }
        service = members["service"]?.text ?? ""
        description = members["description"]?.text ?? ""
        sandbox = members["sandbox"]?.text ?? ""
        registrations = number("registrations") ?? 0
        isRunning = members["running"]?.flag ?? false
        waiting = number("waiting") ?? 0
        created = number("created") ?? 0
        lastDelivery = number("last-delivery")
        isMuted = members["muted"]?.flag ?? false
        urgency = members["urgency"]?.text ?? ""
        trouble = members["trouble"]?.text
        end = number("end")
    }

    static func text(
        _ applications: [ApplicationReport], _ receivers: [ReceiverReport]
    ) -> String {
        TextTable.text(receivers.map(\.row))
            + (applications.isEmpty
                ? "no applications; they register by themselves when they start\n"
                : TextTable.text(applications.map(\.row)))
    }

    private var row: [String] {
        var remarks = [isRunning ? "running" : "not running"]
        if waiting > 0 { remarks.append("\(waiting) waiting") }
        if isMuted { remarks.append("muted") }
        if urgency != "very-low" { remarks.append("started for \(urgency) and above") }
        if let trouble { remarks.append(Printable.text(trouble)) }
        if let end { remarks.append("no receiver is listed, ends " + LocalTime.text(end)) }
        return [
            Printable.text(service), Printable.text(description),
            lastDelivery.map { "last " + LocalTime.text($0) } ?? "nothing yet",
            remarks.joined(separator: ", "),
        ]
    }

    static func json(
        _ applications: [ApplicationReport], _ receivers: [ReceiverReport]
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("applications")
            writer.array { writer in
                for application in applications { application.append(to: &writer) }
            }
            writer.name("receivers")
            writer.array { writer in
                for receiver in receivers { receiver.append(to: &writer) }
            }
        }
        return writer.text + "\n"
    }

    private func append(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("service", service)
            writer.member("description", description)
            if !sandbox.isEmpty { writer.member("sandbox", sandbox) }
            writer.member("registrations", registrations)
            writer.member("running", isRunning)
            writer.member("waiting", waiting)
            writer.member("created", created)
            if let lastDelivery { writer.member("last_delivery", lastDelivery) }
            writer.member("muted", isMuted)
            writer.member("urgency", urgency)
            if let trouble { writer.member("trouble", trouble) }
            if let end { writer.member("end", end) }
        }
    }
}

/// The receivers of the desktop service as text.
struct ReceiverReport {
    let name: String
    /// A word of `ReceiverState.Condition`.
    let state: String
    /// Seconds since 1970.
    let since: Int
    let reason: String

    init(_ value: BusValue) {
        let members = value.members ?? [:]
        name = members["receiver"]?.text ?? ""
        state = members["state"]?.text ?? ""
        since = members["since"]?.integer.map(Int.init) ?? 0
        reason = members["reason"]?.text ?? ""
    }

    var row: [String] {
        var words = Printable.text(state) + " since " + LocalTime.text(since)
        if !reason.isEmpty { words += ": " + Printable.text(reason) }
        return ["receiver", Printable.text(name), words]
    }

    func append(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("receiver", name)
            writer.member("state", state)
            writer.member("since", since)
            if !reason.isEmpty { writer.member("reason", reason) }
        }
    }
}
