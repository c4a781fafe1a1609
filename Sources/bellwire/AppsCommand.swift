import Base
import Bus
import Desktop
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
        let applications = (values.first?.elements ?? []).map { Application($0) }
        let answer = try DesktopDialogue.call("ListReceivers")
        let receivers = (answer.first?.elements ?? []).map { ReceiverState($0) }
        let none = "no applications; they register by themselves when they start\n"
        let text = applications.isEmpty ? none : TextTable.text(applications.map(\.row))
        return try arguments.print(TextTable.text(receivers.map(\.row)) + text) { writer in
            writer.objects("applications", applications) { $0.members(&$1) }
            writer.objects("receivers", receivers) { $0.members(&$1) }
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

/// The row of an application.
extension Application {
    fileprivate var row: [String] {
        var remarks = [isRunning ? "running" : "not running"]
        if waiting > 0 { remarks.append("\(waiting) waiting") }
        if isMuted { remarks.append("muted") }
        if leastUrgency != .veryLow {
            remarks.append("started for \(leastUrgency.rawValue) and above")
        }
        if let trouble { remarks.append(Printable.text(trouble)) }
        if let end { remarks.append("no receiver is listed, ends " + LocalTime.text(Int(end))) }
        return [
            Printable.text(service), Printable.text(description),
            lastDelivery.map { "last " + LocalTime.text(Int($0)) } ?? "nothing yet",
            remarks.joined(separator: ", "),
        ]
    }
}

/// The row of a receiver.
extension ReceiverState {
    fileprivate var row: [String] {
        var words = condition.rawValue + " since " + LocalTime.text(Int(since))
        if !reason.isEmpty { words += ": " + Printable.text(reason) }
        return ["receiver", Printable.text(name), words]
    }
}
