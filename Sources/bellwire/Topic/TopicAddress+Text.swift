import Base
import Configuration
import System
import WebPush

/// What the user gets to see.
extension TopicAddress {
    var json: String {
        JSONWriter.line { writer in
            writer.member("id", id)
            writer.member("name", name)
            writer.member("endpoint", endpoint)
            writer.member("format", format.dialect.word)
            writer.member("new", isNew)
            writer.member("listening", isHeard)
            var (topic, token) = (Optional(details), token)
            writer.fields {
                $0.member("topic", &topic)
                $0.member("token", &token)
            }
        }
    }

    var line: String { Printable.text(endpoint) + "\n" }

    /// What is missing so that somebody sees a push; nil if nothing is.
    var warning: String? {
        isHeard ? nil : "nobody listens. " + Sentence.nobodyListens.text(.english)
    }

    func text(trusting configuration: ServerConfiguration) -> String {
        let word = ShellWord.quoted(Printable.text(name))
        return """
            \(Printable.text(name)) is heard at this address\(shortAddress ?? longAddress)\
            \(warning.map { "\($0)\n" } ?? "")\
            \(format.advice == nil ? isHeard ? "try it" : "then try it" : "put it into the service"):
            \(trials(configuration).map { "  \($0)\n" }.joined())\
            \(kept(word))\(shortAddress == nil ? "" : "and, without a token, at this one" + longAddress)\
            for another address: bellwire topic rotate \(word); to end it: bellwire topic remove \(word)

            """
    }

    private var longAddress: String { "; keep it secret:\n  \(Printable.text(endpoint))\n" }

    /// The address under which programs push that know ntfy, and what they need for it.
    private var shortAddress: String? {
        guard let address = details.address, format.advice == nil else { return nil }
        var lines = [":", "  \(Printable.text(address))"]
        if let token {
            lines += ["with this token, which is shown only once:", "  \(Printable.text(token))"]
        } else {
            let word = ShellWord.quoted(Printable.text(name))
            lines.append("for a token, run bellwire token add NAME-OF-TOKEN --topic \(word)")
        }
        if details.isOpen {
            lines.append("everybody who reaches the server may push there without a token")
        } else if details.isLocal {
            lines.append("programs on this machine need no token to push there")
        }
        for (right, secret) in [
            ("push", details.secretAddress), ("read", details.readingAddress),
        ] {
            guard let secret else { continue }
            lines += [
                "whoever knows this address may \(right) there:", "  " + Printable.text(secret),
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func kept(_ word: String) -> String {
        let reading = details.keep == 0 ? "" : "; to read it: bellwire messages \(word)"
        let dismissing = details.dismissing.isEmpty ? "" : details.dismissing + "\n"
        return "it \(details.keeping)\(reading)\n\(dismissing)"
    }

    /// What to type.
    private func trials(_ configuration: ServerConfiguration) -> [String] {
        if let advice = format.advice { return [advice] }
        let text = "\"the build is green\""
        let curl = "curl \(authority(configuration))"
        guard let short = shortAddress == nil ? nil : details.address.map({ Printable.text($0) })
        else { return [curl + "-d \(text) \(ShellWord.quoted(Printable.text(endpoint)))"] }
        guard let token else {
            let needsNone = details.isOpen || details.isLocal
            let address = needsNone ? short : ShellWord.quoted(Printable.text(endpoint))
            return [curl + "-d \(text) \(address)"]
        }
        let bearer =
            details.isOpen || details.isLocal ? "" : "-H \"Authorization: Bearer \(token)\" "
        var lines = [
            curl + "\(bearer)-d \(text) \(short)",
            "ntfy publish --token \(token) \(short) \(text)",
        ]
        if let start = short.place(of: "://")?.upperBound {
            let scheme = short.hasPrefix("https") ? "ntfys" : "ntfy"
            lines.append("apprise -b \(text) \(scheme)://me:\(token)@\(short[start...])")
        }
        return lines
    }

    /// The option that makes curl trust the certificate of a server on this machine.
    private func authority(_ configuration: ServerConfiguration) -> String {
        guard let origin = Origin(url: endpoint), origin.scheme == "https",
            let file = DevelopmentAuthority.file(configuration, for: origin.host)
        else { return "" }
        return "--cacert \(ShellWord.quoted(Printable.text(file))) "
    }
}
