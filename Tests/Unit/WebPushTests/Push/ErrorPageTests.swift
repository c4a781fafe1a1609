import Foundation
import TestSupport
import Testing

@testable import WebPush

@Suite("The page that explains errors")
struct ErrorPageTests {
    @Test("It has the rows of docs/errors.md, word for word")
    func rows() throws {
        let document = try String(
            contentsOf: Vectors.checkout.appending(path: "docs/errors.md"), encoding: .utf8)
        let title = "| " + ErrorGuide.titles.joined(separator: " | ") + " |"
        let tables = document.components(separatedBy: title + "\n").dropFirst().map { rest in
            rest.split(separator: "\n", omittingEmptySubsequences: false)
                .prefix { $0.hasPrefix("|") }.dropFirst().joined(separator: "\n")
        }
        #expect(tables == [ErrorGuide.pushes, ErrorGuide.requests])
        #expect(tables.first?.contains("errno-106") == true)
    }

    @Test("Every number has an anchor and every row as many cells as there are titles")
    func html() throws {
        let page = ErrorPage.html
        for number in [102, 106, 109, 201, 1000, 1024] {
            #expect(page.contains("<td><a id=\"errno-\(number)\"></a>\(number)</td>"))
        }
        #expect(page.contains("<td><code>No such subscription</code></td>"))
        #expect(page.contains("(docs/limits.md)") && !page.contains("]("))
        #expect(page.contains("<p id=\"http\">"))
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("<tr><td>") }
        #expect(rows.count > 40)
        for row in rows {
            #expect(row.components(separatedBy: "<td>").count == 6, "\(row)")
            let codes = row.components(separatedBy: "<code>").count
            #expect(row.components(separatedBy: "</code>").count == codes, "\(row)")
        }
    }

    @Test("An address leads to the page, whatever base-url has")
    func place() {
        let page = ErrorPage(base: "http://localhost:8080")
        #expect(page.place(of: 106) == "http://localhost:8080/errors#errno-106")
        #expect(page.place(of: nil) == "http://localhost:8080/errors#errno-null")
        #expect(page.placeOfMalformed == "http://localhost:8080/errors#http")
    }
}
