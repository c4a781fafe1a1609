import Base
import Bus
import System
import WebPush

extension Command {
    static let apps = Command(
        name: "apps",
        summary: "show and change the applications that get pushes in this session",
        forms: [
            "list", "remove NAME", "mute NAME", "unmute NAME",
            "urgency NAME very-low|low|normal|high",
        ],
        details: """
            Speaks to the running desktop service on the session bus. NAME is the bus name that list
            shows first. remove ends all registrations of the application and tells it so. What comes
            for a muted application waits until it is unmuted or too old. urgency: what is less
            urgent does not start the application, and waits until it runs.
            """,
        options: [.json]
    ) { arguments in
        // The service asks who calls, and refuses what may be sandboxed.
        try ProcessGuard.showItself()
        let words = arguments.positional
        switch (words.first, words.count) {
        case ("list", 1), (nil, 0): return try listApplications(arguments)
        case ("remove", 2): return try change("RemoveApplication", [.string(words[1])])
        case ("mute", 2):
            return try change("SetMuted", [.string(words[1]), .boolean(true)])
        case ("unmute", 2):
            return try change("SetMuted", [.string(words[1]), .boolean(false)])
        case ("urgency", 3):
            guard Urgency(rawValue: words[2]) != nil else {
                throw CommandError.usage(
                    "there is no urgency \(words[2])", hint: "very-low, low, normal or high")
            }
            return try change("SetLeastUrgency", [.string(words[1]), .string(words[2])])
        default:
            throw CommandError.usage(
                "say apps list, or apps remove, mute, unmute or urgency and a name",
                hint: "bellwire apps --help")
        }
    }

    private static func listApplications(_ arguments: Arguments) throws -> ExitCode {
        let values = try DesktopDialogue.call("ListApplications")
        let applications = (values.first?.elements ?? []).map(ApplicationReport.init)
        try StandardOutput.write(
            arguments.has("json")
                ? ApplicationReport.json(applications) : ApplicationReport.text(applications))
        return .success
    }

    private static func change(_ member: String, _ values: [BusValue]) throws -> ExitCode {
        _ = try DesktopDialogue.call(member, values)
        return .success
    }
}
