import Base
import Testing

@testable import Topics

/// What tools send, as their sources say.
@Suite("Requests of tools that push to Gotify")
struct GotifyToolTests {
    struct Tool: Sendable, CustomTestStringConvertible {
        let name: String
        var target = "/message"
        var header: [(String, String)] = []
        let body: String
        var title = "T"
        var priority: Int64 = 5
        var testDescription: String { name }
    }

    private static let token = "A01234567890123"
    private static let json = ("Content-Type", "application/json")
    private static let key = ("X-Gotify-Key", token)
    private static let markdown = #"{"client::display":{"contentType":"text/markdown"}}"#

    private static func form(_ boundary: String) -> String {
        [("title", "T"), ("message", "M"), ("priority", "5")].map { name, value in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }.joined() + "--\(boundary)--\r\n"
    }

    private static let inQuery = "/message?token=" + token

    static let tools: [Tool] = [
        Tool(
            name: "Apprise", target: "//message", header: [json, key],
            body: #"{"priority": 5, "title": "T", "message": "M"}"#),
        Tool(
            name: "Apprise at a sub-path", target: "/gotify/message", header: [json, key],
            body: #"{"priority": 5, "title": "T", "message": "M", "extras": null}"#),
        Tool(
            name: "Uptime Kuma", target: inQuery, header: [json],
            body: #"{"message":"M","priority":8,"title":"T"}"#, priority: 8),
        Tool(
            name: "healthchecks", target: "//message?token=" + token, header: [json],
            body: #"{"title":"T","message":"M","extras":\#(markdown)}"#,
            priority: 0),
        Tool(
            name: "Watchtower", target: "/message?token=" + token, header: [json],
            body: #"{"message":"M","title":"T","priority":-2}"#, priority: -2),
        Tool(
            name: "shoutrrr's fork", header: [json, key],
            body: #"{"message":"M","title":"T","priority":5,"extras":null,"date":null}"#),
        Tool(
            name: "Sonarr, before", target: inQuery,
            header: [("Content-Type", "application/x-www-form-urlencoded")],
            body: "title=T&message=M&priority=5"),
        Tool(
            name: "Sonarr, a form of parts", target: inQuery,
            header: [("Content-Type", #"multipart/form-data; boundary="-----8d""#)],
            body: form("-----8d")),
        Tool(
            name: "Sonarr, now", target: inQuery, header: [json],
            body: #"{"title":"T","message":"M","priority":5,"#
                + #""extras":{"client::notification":{"click":{"url":null}}}}"#
        ),
        Tool(
            name: "Gatus", target: inQuery, header: [json],
            body: #"{"message":"M","title":"T","priority":5}"#),
        Tool(
            name: "Diun", target: inQuery, header: [json],
            body: #"{"message":"M","title":"T","priority":5,"extras":\#(markdown)}"#
        ),
        Tool(
            name: "Proxmox",
            header: [json, ("Authorization", "Bearer " + token), key],
            body:
                #"{"title":"T","message":"M","priority":9,"extras":\#(markdown)}"#,
            priority: 9),
        Tool(
            name: "Netdata", target: inQuery, header: [json],
            body: "{\n \"title\":\"T\",\n \"message\":\"M\",\n \"priority\":10\n}", priority: 10),
        Tool(
            name: "gotify for Python", header: [json, key],
            body: #"{"message":"M","extras":null,"priority":null,"title":null}"#, title: "",
            priority: 0),
        Tool(
            name: "gotify/cli", header: [json, key],
            body: #"{"appid":0,"date":"0001-01-01T00:00:00.000Z","id":0,"#
                + #""message":"M","priority":5,"title":"T"}"#
        ),
        Tool(
            name: "curl of a query", target: inQuery + "&title=T&message=M&priority=5", body: ""),
        Tool(
            name: "curl -F", target: inQuery,
            header: [("Content-Type", "multipart/form-data; boundary=----------------7c")],
            body: form("----------------7c")),
    ]

    @Test(arguments: tools)
    func publish(_ tool: Tool) throws {
        let target = tool.target.split(separator: "?").map { Array($0.utf8) }
        let (path, query) = (target[0], target.count > 1 ? target[1] : [])
        let route = try GotifyRoute.find("POST", path.span)
        #expect(route?.action == .publish)
        var caller = CallerFields()
        var type: [UInt8] = []
        for (name, value) in tool.header {
            let (bytes, value) = (Array(name.utf8), Array(value.utf8))
            caller.record(bytes.span, value.span)
            if name == "Content-Type" { type = value }
        }
        caller.record(query: query.span)
        let found = try caller.credential(at: .gotify, isOriginForeign: false)
        #expect(found?.secret == .token(try #require(TopicToken(Self.token))))
        let fields = try GotifyFields(type: type.span, Array(tool.body.utf8), query: query.span)
        let content = try TopicContent(fields, defaultPriority: 0)
        #expect(content.text == "M" && content.title == tool.title)
        #expect(content.gotifyPriority == tool.priority)
        #expect(content.isMarkdown == tool.body.contains("markdown"))
    }
}
