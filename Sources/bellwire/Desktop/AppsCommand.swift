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
            first column of list. remove ends all registrations of the application and tells it so.
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
        case ("remove", 2): return try change("RemoveApplication", [.string(words[1])])
        case ("mute", 2):
            return try change("SetMuted", [.string(words[1]), .boolean(true)])
        case ("unmute", 2):
            return try change("SetMuted", [.string(words[1]), .boolean(false)])
        case ("urgency", 3):
            guard Urgency(rawValue: words[2]) != nil else {
                throw CommandError.usage(
                    "there is no urgency \(words[2])", hint: "use very-low, low, normal or high")
            }
            return try change("SetLeastUrgency", [.string(words[1]), .string(words[2])])
        default:
            throw CommandError.usage(
                "use apps list, or apps remove, mute, unmute or urgency with a NAME",
                hint: "see bellwire apps --help")
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
