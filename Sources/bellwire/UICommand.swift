import Base
import System
import WebPush

extension Command {
    static let ui = Command(
        name: "ui",
        summary: "make a link that opens the status page",
        details: """
            The link works once, for five minutes; on a terminal there is also a QR code of it, for
            a phone. The page shows devices, registrations, errors and the last events, and has your
            rights: root and the service's own user see everything, any other user only their own. A
            session ends after 12 hours, or when the server is restarted.
            """,
        options: [Option("open", help: "also open it in your browser")] + serverOptions,
        examples: [
            Example("bellwire ui", help: "print a link to the status page"),
            Example("bellwire ui --open", help: "open the status page in your browser"),
        ]
    ) { arguments in
        let control = try ControlConnection(arguments)
        let answer = try control.send("POST", "/api/v1/page-links")
        guard let url = try JSONNode(answer: answer)["url"]?.text else {
            throw CommandError.unreadable
        }
        let code = try arguments.print(answer) { (_: JSONNode) in "\(url)\n" + picture(of: url) }
        guard arguments.has("open") else { return code }
        var opener = LinkOpener()
        guard let link = ExternalLink(url), (try? opener.open(link, token: nil)) != nil else {
            throw CommandError(
                message: "xdg-open cannot be run",
                hint: "open the link by hand, or install xdg-utils")
        }
        return .success
    }

    /// For who reads it on another screen; a program needs one line, and a phone cannot come to an
    /// address of this machine.
    private static func picture(of url: String) -> String {
        let isHere = Origin(url: url)?.isLoopback ?? false
        return StandardOutput.isTerminal && !isHere ? CodePicture.text(of: url) : ""
    }
}
