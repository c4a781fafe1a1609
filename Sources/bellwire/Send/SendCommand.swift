import Base
import Outbound
import System
import WebPush

extension Command {
    static let send = Command(
        name: "send",
        summary: "encrypt a message, sign it and push it to an endpoint",
        forms: ["--to FILE [MESSAGE]", "--endpoint URL [--p256dh KEY --auth SECRET] [MESSAGE]"],
        most: .max,
        details: """
            MESSAGE is the text; - reads it from standard input. Without a message the push has no
            body and only wakes the receiver. With --title, --sound, --badge or --custom-id the
            message takes the form of Apple's push service, which receivers with the dialects zpns
            and auto read; --badge needs no message. Prints the push service's answer and what it
            means. The exit code is 0 only if the service accepted the push.
            """,
        options: [
            Option("to", "FILE", help: "a PushSubscription in JSON, readable by you alone"),
            Option("endpoint", "URL", help: "the endpoint, if you have no such file"),
            Option("p256dh", "KEY", help: "the receiver's public key in base64url"),
            Option("auth", "SECRET", help: "the receiver's auth secret in base64url"),
            Option("file", "FILE", help: "read the message from a file"),
            Option("encoding", "NAME", help: "aes128gcm (default) or aesgcm"),
            Option("ttl", "SECONDS", help: "how long the service keeps the push (default 86400)"),
            Option("topic", "NAME", help: "replace an undelivered push with this topic"),
            Option("urgency", "LEVEL", help: "very-low, low, normal or high"),
            Option("vapid-key", "FILE", help: "sign with this key (bellwire keys new vapid)"),
            Option("subject", "URI", help: "your contact: a mailto: or https: address"),
            Option("title", "TEXT", help: "the title of the notification"),
            Option("sound", "NAME", help: "the name of a sound in the receiver's theme"),
            Option("badge", "NUMBER", help: "the number of unread messages; 0 for none"),
            Option("custom-id", "NAME", help: "replace the message that has this id, as ZPNs does"),
            Option("retract", help: "remove the message with the --custom-id"),
            Option(
                "ca-file", "FILE",
                help: "trust these certificates (default: the system's, and a local server's)"
            ),
            .json,
        ],
        examples: [
            Example(
                "bellwire send --to hello.json \"Hello from Bellwire\"",
                help: "push a message to the subscription in a file"),
            Example(
                "bellwire send --to hello.json --urgency high --ttl 600 \"The build is red\"",
                help: "send an urgent one, which nobody needs after ten minutes"),
        ]
    ) { arguments in
        let subscription = try subscription(arguments)
        let message = try dressed(try message(arguments), arguments)
        var request = HTTPRequest(
            method: "POST", url: subscription.endpoint, fields: try fields(arguments),
            certificateFile: arguments["ca-file"] ?? authority(for: subscription.endpoint))
        let encoding = try encoding(arguments)
        if let message { try encrypt(message, subscription, encoding, into: &request) }
        if let path = arguments["vapid-key"] {
            try sign(&request, keyFile: path, encoding, arguments["subject"])
        } else if arguments.has("subject") {
            throw CommandError.usage("--subject needs --vapid-key")
        }
        let verdict = PushVerdict(try answer(to: request))
        try StandardOutput.write(arguments.has("json") ? verdict.json : verdict.text)
        return verdict.exitCode
    }

    private static func answer(to request: HTTPRequest) throws -> HTTPResponse {
        do throws(CurlError) {
            return try HTTPClient.send(request, userAgent: "bellwire/\(ProgramVersion.text)")
        } catch {
            let lacksAuthorities = error.lacksAuthorities && request.certificateFile == nil
            guard error.isDistrust || lacksAuthorities else { throw error }
            let host = Origin(url: request.url)?.host ?? "the push service"
            let condition =
                lacksAuthorities ? "install ca-certificates, or" : "if you know who signed it,"
            throw CommandError.refused(
                "the certificate of \(host) is not trusted",
                hint: "\(condition) name the signer's certificate by --ca-file")
        }
    }

    private static func subscription(_ arguments: Arguments) throws -> PushSubscription {
        switch (arguments["to"], arguments["endpoint"]) {
        case (let file?, nil): return try PushSubscription(json: try KeyFile.read(file))
        case (nil, let endpoint?):
            return try PushSubscription(
                endpoint: endpoint, p256dh: arguments["p256dh"], auth: arguments["auth"])
        default:
            throw CommandError.usage(
                "name the endpoint by either --to or --endpoint", hint: "see bellwire send --help")
        }
    }

    /// A server on this machine may have a development certificate.
    private static func authority(for endpoint: String) -> String? {
        // A mistake in the server's configuration does not concern a sender.
        guard let host = Origin(url: endpoint)?.host,
            let configuration = try? ConfigurationSources.readDefault()
        else { return nil }
        return DevelopmentAuthority.file(configuration, for: host)
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
        case (_, nil): throw CommandError.usage("send takes one message; put it in quotes")
        default: throw CommandError.usage("send takes a message or --file, not both")
        }
    }

    private static func encoding(_ arguments: Arguments) throws -> ContentEncoding {
        guard let name = arguments["encoding"] else { return .aes128gcm }
        guard let encoding = ContentEncoding(rawValue: name) else {
            throw CommandError.usage("unknown encoding", hint: "use aes128gcm or aesgcm")
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
                    "not a topic", hint: "use up to 32 letters, digits, - and _")
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

/// What a push service's answer means to the sender.
struct PushVerdict {
    private let response: HTTPResponse

    init(_ response: HTTPResponse) { self.response = response }

    var exitCode: ExitCode {
        switch response.status {
        case 200..<300: .success
        case 408, 425, 429, 500...: .unavailable
        default: .refused
        }
    }

    private var meaning: String {
        switch response.status {
        case 200..<300: "the push service accepted the push"
        case 300..<400: "the endpoint has moved; redirects are not followed, so subscribe again"
        case 400: "the push service does not understand the request"
        case 401, 403: "the signature is missing or wrong, or the endpoint is bound to another key"
        case 404, 410: "the subscription is gone; stop using this endpoint"
        case 413: "the message is too large for this push service"
        case 408, 425: "the push service asks to send the push again"
        case 429: "too many pushes; wait before the next one"
        case 500...: "the push service has an internal problem; try again later"
        default: "the push service refused the push"
        }
    }

    private static let shownFields = ["location", "ttl", "retry-after"]

    var text: String {
        var lines = ["\(response.status) \(meaning)"]
        for name in Self.shownFields {
            if let value = response.field(name) { lines.append("\(name): \(value)") }
        }
        if exitCode != .success, !response.body.isEmpty {
            let body = String(decoding: response.body, as: UTF8.self)
            lines.append("answer: " + Printable.text(body, limit: 500))
        }
        return lines.map { Printable.text($0) + "\n" }.joined()
    }

    var json: String {
        JSONWriter.line { writer in
            writer.member("status", response.status)
            writer.member("meaning", meaning)
            for name in Self.shownFields {
                if let value = response.field(name) { writer.member(text: name, value) }
            }
        }
    }
}
