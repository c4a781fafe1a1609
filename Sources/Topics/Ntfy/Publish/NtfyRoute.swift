import Base

/// What a request in ntfy's language asks for, by its method and path.
package enum NtfyRoute: Equatable, Sendable, Confidential {
    /// `OPTIONS`, which needs no credential.
    case preflight
    /// Whether the server is there.
    case root
    case publishJSON
    /// `sequence` is empty if the path names none.
    case publish(TopicName, sequence: String)
    /// A publish whose values are all in the query: `GET` of a hook or a browser.
    case trigger(TopicName)
    case clear(TopicName, sequence: String)
    case delete(TopicName, sequence: String)
    /// The page of a topic; with `up=1`, whether it takes UnifiedPush.
    case topic(TopicName)
    case stream(Stream, [TopicName])
    /// Whether the caller may read.
    case mayRead([TopicName])
    /// A file by the last part of its path; its head alone with `HEAD`.
    case file(String)
    case health, configuration, configurationScript, statistics, version
    case account, signUp, makeToken, changeToken, removeToken
    case reserve
    case question(TopicMessageID), withdraw(TopicMessageID), answer(TopicMessageID)
    case release(TopicName)

    package enum Stream: String, Sendable {
        case json, sse, raw
        case webSocket = "ws"
    }

    /// `path` is the path without that of base-url, which is empty if nothing follows it.
    package init(method: String, path: Span<UInt8>) throws(NtfyRefusal) {
        if method == "OPTIONS" {
            self = .preflight
            return
        }
        // No path of ntfy's has an escape that is needed, but clients may write one for a comma.
        guard let bytes = PercentEncoding.decoded(path.array(path.indices)),
            let path = String(validating: bytes, as: UTF8.self)
        else { throw .notFound }
        if let route = Self.fixed[path]?[method] {
            self = route
            return
        }
        // The part before the first slash is empty. So is one beside another slash at the start or
        // the end, which nothing matches.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard path.hasPrefix("/"), let route = try Self.route(method, Array(parts)) else {
            throw .notFound
        }
        self = route
    }

    /// By path and method.
    private static let fixed: [String: [String: NtfyRoute]] = [
        "": ["GET": .root, "HEAD": .root, "POST": .publishJSON, "PUT": .publishJSON],
        "/": ["GET": .root, "HEAD": .root, "POST": .publishJSON, "PUT": .publishJSON],
        "/config.js": ["GET": .configurationScript],
        "/v1/health": ["GET": .health, "HEAD": .health],
        "/v1/config": ["GET": .configuration],
        "/v1/stats": ["GET": .statistics],
        "/v1/version": ["GET": .version],
        "/v1/account": ["GET": .account, "POST": .signUp],
        "/v1/account/token": [
            "POST": .makeToken, "PATCH": .changeToken, "DELETE": .removeToken,
        ],
        "/v1/account/reservation": ["POST": .reserve],
    ]

    private static func route(
        _ method: String, _ parts: [Substring]
    ) throws(NtfyRefusal) -> NtfyRoute? {
        switch (parts.count, method) {
        case (1, "PUT"), (1, "POST"):
            guard let topic = TopicName(parts[0]) else { return nil }
            guard !topic.isReserved else { throw .reservedTopic }
            return .publish(topic, sequence: "")
        case (1, "GET"): return free(parts[0]).map { .topic($0) }
        case (2, "GET") where parts[0] == "file", (2, "HEAD") where parts[0] == "file":
            return parts[1].isEmpty ? nil : .file(String(parts[1]))
        case (2, "GET"): return try read(parts[0], parts[1])
        case (2, "PUT"), (2, "POST"):
            return state(parts).map { .publish($0.topic, sequence: $0.sequence) }
        case (2, "DELETE"): return state(parts).map { .delete($0.topic, sequence: $0.sequence) }
        case (3, _) where parts[..<2] == ["v1", "questions"]:
            guard let id = TopicMessageID(parts[2]) else { return nil }
            return method == "GET" ? .question(id) : method == "DELETE" ? .withdraw(id) : nil
        case (4, "POST") where parts[..<2] == ["v1", "questions"] && parts[3] == "answer":
            return TopicMessageID(parts[2]).map { .answer($0) }
        case (3, "GET"), (3, "PUT"): return end(method, parts)
        case (4, "DELETE") where parts[..<3] == ["v1", "account", "reservation"]:
            return TopicName(parts[3]).map { .release($0) }
        default: return nil
        }
    }

    /// What is read or published by `GET`.
    private static func read(
        _ list: Substring, _ word: Substring
    ) throws(NtfyRefusal) -> NtfyRoute? {
        let isTrigger = ["publish", "send", "trigger"].contains(word)
        let stream = Stream(rawValue: String(word))
        guard isTrigger || stream != nil || word == "auth" else { return nil }
        var topics: [TopicName] = []
        for name in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let topic = TopicName(name) else { return nil }
            guard !topic.isReserved else { throw .reservedTopic }
            topics.append(topic)
        }
        if let stream { return .stream(stream, topics) }
        guard isTrigger else { return .mayRead(topics) }
        return topics.count == 1 ? .trigger(topics[0]) : nil
    }

    /// What ends the notification of a sequence.
    private static func end(_ method: String, _ parts: [Substring]) -> NtfyRoute? {
        guard let (topic, sequence) = state(parts) else { return nil }
        switch parts[2] {
        case "clear", "read": return .clear(topic, sequence: sequence)
        case "delete" where method == "GET": return .delete(topic, sequence: sequence)
        default: return nil
        }
    }

    /// Names in the program's own paths are none of a topic.
    private static func free(_ name: Substring) -> TopicName? {
        TopicName(name).flatMap { $0.isReserved ? nil : $0 }
    }

    private static func state(_ parts: [Substring]) -> (topic: TopicName, sequence: String)? {
        guard let topic = free(parts[0]), TopicName(parts[1]) != nil else { return nil }
        return (topic, String(parts[1]))
    }
}
