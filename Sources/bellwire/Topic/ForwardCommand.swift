import Base
import Configuration
import System
import Topics
import WebPush

extension Command {
    static let forward = Command(
        name: "forward",
        summary: "send what comes to topics on to push subscriptions of others",
        verbs: [
            Verb("add", "[TOPIC] ENDPOINT", addForward), Verb("list", "", listForwards),
            Verb("confirm", "ID", confirmForward), Verb("remove", "ID", removeForward),
            Verb("key", "", showForwardKey),
        ],
        details: """
            Asks the running server through its control socket. A forward encrypts each message of a
            topic for a push subscription: one of an application behind UnifiedPush, one of a browser,
            or the address of a topic at another server. ENDPOINT is its address, with --p256dh and
            --auth; - reads all three from standard input, as browsers write a PushSubscription, so
            that they stand in no list of processes.

            The server first pushes a code there. Whoever reads it tells you, and confirm takes it,
            within a day. Only then are messages forwarded. A forward ends with its topic, and when
            the push service says that the subscription is gone. After bellwire restore, nothing is
            forwarded before confirm, without a code.

            key prints the public key by which the server signs, for programs that want it before
            they subscribe.
            """,
        options: [
            Option("all", of: "add", help: "forward all your topics, also those to come"),
            Option("p256dh", "KEY", of: "add", help: "the receiver's public key in base64url"),
            Option("auth", "SECRET", of: "add", help: "the receiver's auth secret in base64url"),
            Option(
                "form", ForwardForm.allCases.map(\.word).joined(separator: "|"), of: "add",
                help: "what it gets: ntfy's JSON, or what browsers show (default: ntfy)"),
            Option("code", "CODE", of: "confirm", help: "the code that was pushed there"),
        ] + serverOptions,
        examples: [
            Example(
                "bellwire forward add backups - < subscription.json",
                help: "forward a topic to the subscription in a file"),
            Example(
                "bellwire forward confirm 12 --code k7mq-2wxd-9fhp",
                help: "begin, once the code has arrived there"),
        ]
    )

    private static let forwardsPath = "/api/v1/forwards"

    private static func addForward(_ arguments: Arguments) throws -> ExitCode {
        var words = arguments.positional[...]
        guard let endpoint = words.popLast(), words.isEmpty == arguments.has("all") else {
            throw CommandError.usage(
                "use forward add TOPIC ENDPOINT or forward add --all ENDPOINT",
                hint: "see bellwire forward --help")
        }
        let subscription = try subscription(endpoint, arguments)
        guard let keys = subscription.keys else {
            throw CommandError.usage(
                "a forward needs the receiver's keys",
                hint: "add --p256dh and --auth, or pipe a PushSubscription in")
        }
        let control = try ControlConnection(arguments)
        let topic = try words.first.map { try RegistrationsPath.topic($0, control) }
        let request = ForwardRequest {
            $0.registration = topic?.id
            $0.isOfAll = topic == nil
            $0.form = arguments["form"]
            $0.endpoint = subscription.endpoint
            $0.p256dh = keys.p256dh.base64URL
            $0.auth = keys.auth.withSpan(Base64URL.text)
        }
        let answer = try control.send("POST", forwardsPath, request.json)
        return try arguments.print(answer, \ListedForward.made)
    }

    private static func subscription(
        _ endpoint: String, _ arguments: Arguments
    ) throws -> PushSubscription {
        guard endpoint == "-" else {
            return try PushSubscription(
                endpoint: endpoint, p256dh: arguments["p256dh"], auth: arguments["auth"])
        }
        guard let bytes = try StandardInput.readAll(limit: TextFile.sizeLimit) else {
            throw CommandError(message: "the subscription is too long")
        }
        return try PushSubscription(json: bytes)
    }

    private static func listForwards(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", forwardsPath)
        return try arguments.print(answer, ListedForward.text)
    }

    private static func confirmForward(_ arguments: Arguments) throws -> ExitCode {
        let path = try forwardPath(arguments)
        let body = JSONWriter.object { writer in
            if let code = arguments["code"] { writer.member("code", code) }
        }
        _ = try ControlConnection(arguments).send("POST", path + "/confirm", body)
        try arguments.say("confirmed; messages are forwarded from now on")
        return .success
    }

    private static func removeForward(_ arguments: Arguments) throws -> ExitCode {
        let path = try forwardPath(arguments)
        _ = try ControlConnection(arguments).send("DELETE", path)
        try arguments.say("removed; nothing more is forwarded there")
        return .success
    }

    private static func forwardPath(_ arguments: Arguments) throws -> String {
        guard let number = UInt32(arguments.positional[0]) else {
            throw CommandError.usage(
                "not the number of a forward", hint: "run bellwire forward list to see them")
        }
        return "\(forwardsPath)/\(number)"
    }

    private static func showForwardKey(_ arguments: Arguments) throws -> ExitCode {
        let answer = try ControlConnection(arguments).send("GET", forwardsPath + "/key")
        return try arguments.print(answer) { (node: JSONNode) in
            (node["key"]?.text ?? "") + "\n"
        }
    }
}

/// Forwards as text.
extension ListedForward {
    fileprivate static func text(_ forwards: [ListedForward]) -> String {
        guard !forwards.isEmpty else {
            return "no forwards; add one with bellwire forward add TOPIC ENDPOINT\n"
        }
        return TextTable.text(
            forwards.map { forward in
                [
                    "\(forward.id)", Printable.text(forward.topic ?? "all topics"),
                    Printable.text(forward.host), forward.progress,
                    forward.waiting == 0 ? "" : "\(forward.waiting) waiting", forward.trouble,
                ]
            })
    }

    private var progress: String {
        switch state {
        case Self.unconfirmed: "not confirmed yet"
        case Self.restored: "restored: confirm it"
        default: delivered.map { "last taken " + LocalTime.text($0) } ?? "nothing sent yet"
        }
    }

    /// What the push service said last, if it did not take the message.
    private var trouble: String {
        guard let status, !(200..<300).contains(status) else { return "" }
        let reason = reason.map { ", " + Printable.text($0) } ?? ""
        return status == 0 ? "no answer" : "answered \(status)\(reason)"
    }

    fileprivate var made: String {
        """
        forward \(id) to \(Printable.text(host)) waits for its code
        the code was pushed there; confirm it within a day:
          bellwire forward confirm \(id) --code CODE

        """
    }
}
