import Base
import System

/// Registrations as text.
enum RegistrationText {
    /// Prints the answer as JSON or as `text` renders it.
    static func print(
        _ answer: [UInt8], _ arguments: Arguments, _ text: (JSONNode) throws -> String
    ) throws -> ExitCode {
        if arguments.has("json") {
            try StandardOutput.write(answer.span)
            try StandardOutput.write("\n")
            return .success
        }
        guard let document = try? JSONDocument(answer) else { throw unreadable }
        try StandardOutput.write(try text(document.root))
        return .success
    }

    private static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    private static func word(_ node: JSONNode?) throws -> String {
        guard let text = node?.textOrNumber else { throw unreadable }
        return Printable.text(text)
    }

    static func full(_ root: JSONNode) throws -> String {
        var lines = [
            "registration \(try word(root["id"])); keep these secret:",
            "  token for account.registerDevice (type \(try word(root["register_device"]?["token_type"]))):",
            "    \(try word(root["token"]))", "  endpoint:", "    \(try word(root["endpoint"]))",
            "  push receiver id:", "    \(try word(root["push_receiver_id"]))",
        ]
        lines += secrets(root)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Endpoint and keys are in a file.
    static func kept(_ root: JSONNode, in path: String) throws -> String {
        let file = Printable.text(path)
        var lines = ["registration \(try word(root["id"])); keep \(file) secret"]
        lines += secrets(root)
        lines += ["push to it with: bellwire send --to \(ShellWord.quoted(file)) MESSAGE"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// What only this answer tells.
    private static func secrets(_ root: JSONNode) -> [String] {
        var lines: [String] = []
        if let secret = root["register_device"]?["secret"]?.text, !secret.isEmpty {
            lines += ["  secret:", "    \(Printable.text(secret))"]
        }
        if let secret = root["callback_secret"]?.text {
            lines += ["  callbacks are signed with:", "    \(Printable.text(secret))"]
        }
        return lines
    }

    static func list(_ root: JSONNode) throws -> String {
        let registrations = root["registrations"]?.elements ?? []
        guard !registrations.isEmpty else {
            return "no registrations; make one with bellwire register\n"
        }
        return TextTable.text(
            try registrations.map { node in
                [
                    try word(node["id"]), try word(node["app"]), try word(node["account"]),
                    "type " + (try word(node["token_type"])),
                    "until " + LocalTime.text(Int(node["expires"]?.integer ?? 0)),
                    node["trust_clear"]?.bool == true ? "trusts clear" : "",
                    isUnheard(node) ? "nobody listens" : "",
                ]
            })
    }

    /// Only a screen shows what is pushed there, and none is connected.
    static func isUnheard(_ node: JSONNode) -> Bool { node["unheard"]?.bool == true }

    static func summary(_ node: JSONNode) throws -> String {
        var rows = [
            ["registration", try word(node["id"])], ["app", try word(node["app"])],
            ["account", try word(node["account"])], ["type", try word(node["token_type"])],
            ["push receiver id", try word(node["push_receiver_id"])],
            ["endpoint", try word(node["endpoint"])],
            ["created", LocalTime.text(Int(node["created"]?.integer ?? 0))],
            ["expires", LocalTime.text(Int(node["expires"]?.integer ?? 0))],
        ]
        if let service = node["service"]?.text {
            rows.insert(["application", Printable.text(service)], at: 3)
        }
        if node["trust_clear"]?.bool == true {
            rows.append(["in clear", "trusted: may have actions"])
        }
        if isUnheard(node) {
            rows.append(["nobody listens", Sentence.nobodyListens.text(.english)])
        }
        for (reason, count) in node["undecryptable"]?.members ?? [] {
            rows.append(["undecryptable", "\(try word(count)) \(Printable.text(reason))"])
        }
        return TextTable.text(rows)
    }
}
