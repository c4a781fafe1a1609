import Base
import System
import WebPush

/// A Gotify server that is asked over its API. It tells what belongs to the user of the secret.
struct GotifyServer: ForeignSource {
    private let api: ForeignAPI
    /// A page of messages is as long as Gotify lets it be.
    private static let pageLimit = 200
    private static let mostPages = ForeignMessages.most / pageLimit

    init(_ api: ForeignAPI) { self.api = api }

    func survey() throws -> ForeignServer {
        var server = ForeignServer(product: "Gotify")
        guard let user = try api.get("/current/user")["name"]?.text else { throw api.unreadable }
        server.users = [ForeignServer.User(name: user, grants: nil)]
        for node in try api.get("/application").elements {
            guard let id = node["id"]?.integer, let name = node["name"]?.text else {
                throw api.unreadable
            }
            let application = ApplicationDetails {
                $0.name = name
                $0.description = node["description"]?.text ?? ""
                $0.priority = Int(node["defaultPriority"]?.integer ?? 0)
                $0.sortKey = node["sortKey"]?.text ?? ""
            }
            server.topics.append(
                ForeignServer.Topic(
                    key: "\(id)", name: name, user: user, application: application))
            // Since its version 3, Gotify shows a token only when it is made.
            server.tokens.append(
                ForeignServer.Token(
                    text: node["token"]?.text ?? "", user: user, label: name, topic: "\(id)"))
        }
        for node in try api.get("/client").elements {
            guard let name = node["name"]?.text else { throw api.unreadable }
            server.tokens.append(
                ForeignServer.Token(
                    text: node["token"]?.text ?? "", user: user, label: name))
        }
        return server
    }

    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages {
        var found = ForeignMessages()
        var since = ""
        for _ in 0..<Self.mostPages {
            let page = try api.get(
                "/application/\(topic.key)/message?limit=\(Self.pageLimit)\(since)")
            for node in page["messages"]?.elements ?? [] {
                guard let number = node["id"]?.integer, let text = node["message"]?.text,
                    let date = node["date"]?.text,
                    let message = GotifyPost(
                        number: number, text: text, title: node["title"]?.text ?? "",
                        priority: node["priority"]?.integer ?? 0, date: date,
                        extras: node["extras"]
                    ).message(of: topic)
                else {
                    found.unreadable += 1
                    continue
                }
                found.messages.append(message)
            }
            guard let last = page["paging"]?["since"]?.integer, last > 0 else { break }
            since = "&since=\(last)"
        }
        found.messages.reverse()
        return found
    }

    func file(_ name: String) throws -> [UInt8]? { nil }
}
