import Base

/// The page on which the server explains its errors. `more_info` leads there.
package struct ErrorPage: Equatable, Sendable {
    /// Below base-url.
    package static let path = "/errors"

    private let address: String

    /// `base` is where senders reach the server, without a slash at the end.
    package init(base: String) { address = base + Self.path }

    /// Where a number is explained.
    package func place(of number: Int?) -> String {
        address + "#errno-" + (number.map(String.init) ?? "null")
    }

    /// Where it is explained how requests are answered that no number fits.
    package var placeOfMalformed: String { address + "#http" }

    package static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Errors of Bellwire</title>
        </head>
        <body>
        <h1>Errors of Bellwire</h1>
        <p>An error is JSON. Its member <code>errno</code> is a number from this page.</p>
        <h2>Pushes</h2>
        \(table(ErrorGuide.pushes))
        <p id="http">If a request cannot be read at all, <code>errno</code> is null, and the message \
        is a word for the problem.</p>
        <h2>The API and the control socket</h2>
        \(table(ErrorGuide.requests))
        </body>
        </html>

        """

    private static func table(_ rows: String) -> String {
        let titles = ErrorGuide.titles.map { "<th>\($0)</th>" }.joined()
        let lines = rows.split(separator: "\n").map { row in
            let cells = row.dropFirst().dropLast().split(
                separator: "|", omittingEmptySubsequences: false)
            return "<tr>" + cells.map { "<td>\(cell($0.dropFirst().dropLast()))</td>" }.joined()
                + "</tr>"
        }
        return
            "<table border=\"1\">\n<tr>\(titles)</tr>\n\(lines.joined(separator: "\n"))\n</table>"
    }

    /// Markdown as HTML: anchors, code, and the names of files instead of links to them.
    private static func cell(_ text: Substring) -> String {
        var html = ""
        var rest = text
        var isCode = false
        while let character = rest.popFirst() {
            switch character {
            case "`":
                html += isCode ? "</code>" : "<code>"
                isCode.toggle()
            case "<" where rest.hasPrefix("a id="):
                let end = rest.firstIndex(of: ">") ?? rest.endIndex
                html += "<" + rest[..<end]
                rest = rest[end...]
            case "<" where rest.hasPrefix("/a>"): html += "<"
            case "[" where !isCode:
                guard let end = rest.firstIndex(of: "]"), let close = rest.firstIndex(of: ")")
                else { continue }
                html += "docs/" + rest[..<end]
                rest = rest[close...].dropFirst()
            case "<": html += "&lt;"
            case "&": html += "&amp;"
            default: html.append(character)
            }
        }
        return html
    }
}
