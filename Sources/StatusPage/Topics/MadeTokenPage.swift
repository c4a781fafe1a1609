import Base
package import WebPush

/// A new token with its addresses, which are shown once.
package struct MadeTokenPage: Sendable, Confidential {
    private let topic: OwnTopic
    private let token: ListedToken
    private let frame: PageFrame

    package init(_ token: ListedToken, for topic: OwnTopic, _ frame: PageFrame) {
        (self.token, self.topic, self.frame) = (token, topic, frame)
    }

    package var html: [UInt8] {
        let secret = token.token ?? ""
        let addresses = TokenAddresses(token, at: topic.details.address ?? "")
        let rows = [frame.copied(.token, secret)] + addresses.all.map { frame.copied($0, $1) }
        let picture = frame.picture(of: addresses.short, called: .pictureOfToken)
        return frame.page(
            frame.say(.tokenMade, token.name),
            """
            <p class="notice">\(frame.say(.tokenShownOnce))</p>
            <dl class="places">\(rows)</dl>
            \(picture)
            <p><a href="\(topic.place)">\(frame.say(.backToTopic))</a></p>
            """, tab: .topics)
    }
}

/// What people give to programs so that those use a token.
struct TokenAddresses: Confidential {
    private let token: ListedToken
    private let secret: String
    /// Of the topic, and what stands before its name.
    private let (address, base): (String, String)

    init(_ token: ListedToken, at address: String) {
        (self.token, secret) = (token, token.token ?? "")
        self.address = address
        base = address.lastIndex(of: "/").map { String(address[..<$0]) } ?? address
    }

    /// A line that pushes. `token`: nil where none is needed.
    static func curl(to address: String, with token: String?) -> String {
        let bearer = token.map { "-H \"Authorization: Bearer \($0)\" " } ?? ""
        return "curl \(bearer)-d \"hello\" \(address)"
    }

    var all: [(Sentence, String)] {
        var all: [(Sentence, String)] = []
        switch token.form {
        case TokenRequest.application:
            let line = "curl -H \"X-Gotify-Key: \(secret)\" -F message=hello \(base)/message"
            all.append((.pushLine, line))
        case TokenRequest.client:
            all.append((.readLine, "curl -H \"X-Gotify-Key: \(secret)\" \(base)/message"))
        default:
            if token.writes { all.append((.pushLine, Self.curl(to: address, with: secret))) }
            if token.reads {
                let line = "curl -sN -H \"Authorization: Bearer \(secret)\" \(address)/json"
                all.append((.readLine, line))
            }
        }
        all.append((token.form == TokenRequest.ntfy ? .ntfyAddress : .gotifyAddress, short))
        if let slack = token.slackAddress { all.append((.slackAddress, slack)) }
        if let discord = token.discordAddress { all.append((.discordAddress, discord)) }
        return all
    }

    /// The whole in one address, as programs like Apprise read it.
    var short: String {
        let isNtfy = token.form == TokenRequest.ntfy
        let place = isNtfy ? address : base
        let end = isNtfy ? "ntfy" : "gotify"
        guard let host = place.place(of: "://")?.upperBound else { return "" }
        let scheme = place.hasPrefix("https") ? end + "s" : end
        let rest = place[host...]
        return isNtfy ? "\(scheme)://me:\(secret)@\(rest)" : "\(scheme)://\(rest)/\(secret)"
    }
}
