import Base
import Bus
import System
import WebPush

extension Command {
    static let apps = Command(
        name: "apps",
        summary: "list and change the applications that get pushes in this session",
        verbs: [
            Verb("list", "", listApplications), Verb("remove", "NAME", removeApplication),
            Verb("mute", "NAME") { try mute($0, true) },
            Verb("unmute", "NAME") { try mute($0, false) },
            Verb("urgency", "NAME very-low|low|normal|high", setUrgency),
        ],
        implied: "list",
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
    )

    private static func listApplications(_ arguments: Arguments) throws -> ExitCode {
        let values = try DesktopDialogue.call("ListApplications")
        let applications = (values.first?.elements ?? []).map(ApplicationReport.init)
        let answer = try DesktopDialogue.call("ListReceivers")
        let receivers = (answer.first?.elements ?? []).map(ReceiverReport.init)
        return try arguments.print(ApplicationReport.text(applications, receivers)) { writer in
            ApplicationReport.append(applications, receivers, to: &writer)
        }
    }

    private static func removeApplication(_ arguments: Arguments) throws -> ExitCode {
        let name = arguments.positional[0]
        return try change("RemoveApplication", name, saying: "removed \(name)", arguments) {
            $0.member("removed", true)
        }
    }

    private static func mute(_ arguments: Arguments, _ isMuted: Bool) throws -> ExitCode {
        let name = arguments.positional[0]
        return try change(
            "SetMuted", name, .boolean(isMuted),
            saying: (isMuted ? "muted " : "unmuted ") + name, arguments
        ) { $0.member("muted", isMuted) }
    }

    private static func setUrgency(_ arguments: Arguments) throws -> ExitCode {
        let (name, urgency) = (arguments.positional[0], arguments.positional[1])
        guard Urgency(rawValue: urgency) != nil else {
            throw CommandError.usage(
                "there is no urgency \(urgency)", hint: "use very-low, low, normal or high")
        }
        return try change(
            "SetLeastUrgency", name, .string(urgency),
            saying: "\(name) is started for \(urgency) and above", arguments
        ) { $0.member("urgency", urgency) }
    }

    /// Changes an application and says what has changed.
    private static func change(
        _ member: String, _ service: String, _ values: BusValue..., saying sentence: String,
        _ arguments: Arguments, _ change: (inout JSONWriter) -> Void
    ) throws -> ExitCode {
        _ = try DesktopDialogue.call(member, [.string(service)] + values)
        return try arguments.print(Printable.text(sentence) + "\n") { writer in
            writer.member("service", service)
            change(&writer)
        }
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

    static func append(
        _ applications: [ApplicationReport], _ receivers: [ReceiverReport],
        to writer: inout JSONWriter
    ) {
        writer.name("applications")
        writer.array { writer in
            for application in applications { application.append(to: &writer) }
        }
        writer.name("receivers")
        writer.array { writer in
            for receiver in receivers { receiver.append(to: &writer) }
        }
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
