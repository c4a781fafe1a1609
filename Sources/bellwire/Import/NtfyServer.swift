import Base
import System
import Topics

/// An ntfy server that is asked over its API. It tells what its caller may see, and no list of topics.
struct NtfyServer: ForeignSource {
    private let api: ForeignAPI
    /// Those that the user has named.
    private let topics: [String]
    private let wantsScheduled: Bool

    private static let mostAccountTopics = 10_000

    init(_ api: ForeignAPI, topics: [String], wantsScheduled: Bool) {
        (self.api, self.topics, self.wantsScheduled) = (api, topics, wantsScheduled)
    }

    func survey() throws -> ForeignServer {
        let account = try api.get("/v1/account")
        guard let name = account["username"]?.text else { throw api.unreadable }
        var server = ForeignServer(product: "ntfy")
        var names = Set(topics)
        for reservation in account["reservations"]?.elements.prefix(Self.mostAccountTopics) ?? [] {
            if let topic = reservation["topic"]?.text { names.insert(topic) }
        }
        let subscriptions = account["subscriptions"]?.elements ?? []
        for subscription in subscriptions.prefix(Self.mostAccountTopics) {
            let base = subscription["base_url"]?.text ?? ""
            guard api.path(of: base + "/") != nil, let topic = subscription["topic"]?.text else {
                continue
            }
            names.insert(topic)
        }
        server.topics = names.sorted().map { ForeignServer.Topic(key: $0, name: $0) }
        guard name != "*" else { return server }
        // Of its rights, a server only tells whether they are all.
        server.users = [
            ForeignServer.User(
                name: name, isAdministrator: account["role"]?.text == "admin", grants: nil)
        ]
        for token in account["tokens"]?.elements.prefix(Self.mostAccountTopics) ?? [] {
            guard let text = token["token"]?.text else { continue }
            let end = token["expires"]?.integer ?? 0
            guard end >= 0 else { continue }
            server.tokens.append(
                ForeignServer.Token(
                    text: text, user: name, label: token["label"]?.text ?? "",
                    end: end == 0 ? nil : end))
        }
        return server
    }

    func messages(of topic: ForeignServer.Topic) throws -> ForeignMessages {
        guard let name = TopicName(topic.key) else { return ForeignMessages() }
        let scheduled = wantsScheduled ? "&scheduled=1" : ""
        let lines = try api.bytes("/\(name.text)/json?poll=1&since=all\(scheduled)")
            .split(separator: UInt8(ascii: "\n"))
        var found = ForeignMessages()
        for line in lines.suffix(ForeignMessages.most) {
            guard let node = JSONNode(json: Array(line)), let id = node["id"]?.text,
                let id = TopicMessageID(id), let time = node["time"]?.integer
            else {
                found.unreadable += 1
                continue
            }
            guard node["event"]?.text == "message" else { continue }
            found.messages.append(message(node, id, time))
        }
        return found
    }

    private func message(
        _ node: JSONNode, _ id: TopicMessageID, _ time: Int64
    ) -> ForeignMessage {
        let address = node["attachment"]?["url"]?.text
        let isFile = node["attachment"]?["expires"]?.integer ?? 0 > 0
        let file = isFile ? address.flatMap { api.path(of: $0) } : nil
        return ForeignMessage(id: id, time: time, file: file) { writer in
            for (name, value) in node.members where !["id", "time", "file"].contains(name) {
                // The address of a file is no link that stays.
                if isFile, name == "attachment" {
                    writer.name("attachment")
                    writer.object { $0.member("name", value["name"]?.text ?? "") }
                } else if !value.isTooNested {
                    writer.member(text: name, json: JSONText.anew(value))
                }
            }
        }
    }

    func file(_ name: String) throws -> [UInt8]? {
        let limit = Publication.uploadLimit
        // What has expired there since is not there any more.
        guard let bytes = try? api.bytes(name, limit: limit + 1) else { return nil }
        return 1...limit ~= bytes.count ? bytes : nil
    }
}
