import System

extension Command {
    static let hear = Command(
        name: "hear",
        summary: "get an address to which a script can push with curl",
        forms: ["NAME"],
        details: """
            Asks the running server through its control socket. Whoever knows the address can show
            you notifications, so keep it secret. The same NAME gives the same address again, until
            bellwire revoke NAME ends it. If no screen is connected that shows what comes, hear says
            so.

            A push is plain text; the header fields Title, Priority (1 to 5, or min, low, default,
            high, max), Tags (separated by commas) and Click (an https link) say how it is shown.
            They may also be in the query. Or it is JSON with title, message, priority, tags and
            click, or a form with these. What else ntfy knows is named in the field Bellwire-Ignored
            of the answer; a push that is to be shown later is refused.

            With --from, the address is for the webhook of a service, in that service's own JSON.
            """,
        options: [
            Option("from", "SERVICE", help: "what pushes there: " + HeardFormat.list),
            Option("address", help: "print only the address"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire hear \"nightly build\"",
                help: "print an address, and a curl command that shows a notification"),
            Example(
                "bellwire hear alerts --from alertmanager --address > address",
                help: "write an address for the webhook of Prometheus Alertmanager into a file"),
        ]
    ) { arguments in
        guard arguments.positional.count == 1 else {
            throw CommandError.usage("name what you want to hear", hint: "see bellwire hear --help")
        }
        let connection = try ControlConnection(arguments)
        let format = try HeardFormat(arguments["from"])
        let place = try HeardPlace(named: arguments.positional[0], format, connection)
        if arguments.has("address") {
            try StandardOutput.write(place.address)
            if let warning = place.warning { StandardError.write("bellwire: \(warning)\n") }
            return .success
        }
        if arguments.has("json") {
            try StandardOutput.write(place.json)
            return .success
        }
        let configuration = try ConfigurationSources.read(arguments)
        try StandardOutput.write(place.text(trusting: configuration))
        return .success
    }
}
