import Base
import Crypto
import Outbound
import System
import WebPush

extension Command {
    static let send = Command(
        name: "send",
        summary: "encrypt a message, sign it, and push it to an endpoint",
        forms: ["--to FILE [MESSAGE]", "--endpoint URL [--p256dh KEY --auth SECRET] [MESSAGE]"],
        details: """
            MESSAGE is the text; - reads it from standard input. Without a message the push has no
            body and only wakes the receiver. With --title, --sound, --badge or --custom-id the message
            is in the form of Apple's push service, which receivers of the dialects zpns and auto read;
            --badge may stand alone. Prints what the push service answered, and what that
            means; the exit code is 0 only if it took the push.
            """,
        options: [
            Option("to", "FILE", help: "a PushSubscription as JSON, for you alone to read"),
            Option("endpoint", "URL", help: "the endpoint, where there is no such file"),
            Option("p256dh", "KEY", help: "the receiver's public key in base64url"),
            Option("auth", "SECRET", help: "the receiver's auth secret in base64url"),
            Option("file", "FILE", help: "read the message from a file"),
            Option("encoding", "NAME", help: "aes128gcm (default) or aesgcm"),
            Option("ttl", "SECONDS", help: "how long the service keeps it (default 86400)"),
            Option("topic", "NAME", help: "replaces an undelivered push of the same topic"),
            Option("urgency", "LEVEL", help: "very-low, low, normal or high"),
            Option("vapid-key", "FILE", help: "sign with this key (bellwire keys new vapid)"),
            Option("subject", "URI", help: "who signs: a mailto: or https: address"),
            Option("title", "TEXT", help: "what stands above the message"),
            Option("sound", "NAME", help: "a sound of the receiver's theme"),
            Option("badge", "NUMBER", help: "how much waits; 0 for nothing"),
            Option("custom-id", "NAME", help: "replaces the message of that name, as ZPNs does"),
            Option("retract", help: "takes the message of --custom-id back"),
            Option("ca-file", "FILE", help: "trust these certificates instead of the system's"),
            .json,
        ]
    ) { arguments in
        let subscription = try subscription(arguments)
        let message = try dressed(try message(arguments), arguments)
        var request = HTTPRequest(
            method: "POST", url: subscription.endpoint, fields: try fields(arguments),
            certificateFile: arguments["ca-file"])
        let encoding = try encoding(arguments)
        if let message { try encrypt(message, subscription, encoding, into: &request) }
        if let path = arguments["vapid-key"] {
            try sign(&request, keyFile: path, encoding, arguments["subject"])
        } else if arguments.has("subject") {
            throw CommandError.usage("--subject needs --vapid-key")
        }
        let response = try HTTPClient.send(
            request, userAgent: "bellwire/\(ProgramVersion.text)")
        let verdict = PushVerdict(response)
        try StandardOutput.write(arguments.has("json") ? verdict.json : verdict.text)
        return verdict.exitCode
    }

    private static func subscription(_ arguments: Arguments) throws -> Subscription {
        switch (arguments["to"], arguments["endpoint"]) {
        case (let file?, nil): return try Subscription(json: try KeyFile.read(file))
        case (nil, let endpoint?):
            return try Subscription(
                endpoint: endpoint, p256dh: arguments["p256dh"], auth: arguments["auth"])
        default:
            throw CommandError.usage(
                "say where to push: either --to or --endpoint", hint: "bellwire send --help")
        }
    }

    private static func message(_ arguments: Arguments) throws -> [UInt8]? {
        switch (arguments.positional.first, arguments["file"]) {
        case (nil, nil): return nil
        case ("-", nil), (nil, "-"):
            guard let bytes = try StandardInput.readAll(limit: TextFile.sizeLimit) else {
                throw CommandError(message: "the message is too long")
            }
            return bytes
        case (let text?, nil) where arguments.positional.count == 1: return Array(text.utf8)
        case (nil, let file?): return try TextFile.read(file)
        default: throw CommandError.usage("one message only; put it in quotes")
        }
    }

    private static func encoding(_ arguments: Arguments) throws -> ContentEncoding {
        guard let name = arguments["encoding"] else { return .aes128gcm }
        guard let encoding = ContentEncoding(rawValue: name) else {
            throw CommandError.usage("unknown encoding", hint: "aes128gcm or aesgcm")
        }
        return encoding
    }

    private static func fields(_ arguments: Arguments) throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        let ttl = arguments["ttl"] ?? "86400"
        guard UInt32(decimalDigits: Array(ttl.utf8).span) != nil else {
            throw CommandError.usage("--ttl takes a number of seconds")
        }
        fields.append(("TTL", ttl))
        if let topic = arguments["topic"] {
            guard Topic(topic) != nil else {
                throw CommandError.usage(
                    "not a topic", hint: "up to 32 letters, digits, - and _")
            }
            fields.append(("Topic", topic))
        }
        if let urgency = arguments["urgency"] {
            guard Urgency(rawValue: urgency) != nil else {
                let names = Urgency.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("unknown urgency", hint: names)
            }
            fields.append(("Urgency", urgency))
        }
        return fields
    }
}
