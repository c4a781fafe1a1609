import Base
import Topics

/// Who asks for topics, and for what.
extension FuzzTarget {
    /// Method and path in the first line, then the query in one line, and the body. Both languages
    /// read it.
    static func readRequest(_ bytes: [UInt8]) {
        let (line, rest) = parts(of: bytes)
        let (query, body) = parts(of: rest)
        let words = line.split(
            separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2 else { return }
        let (method, path) = (String(decoding: words[0], as: UTF8.self), Array(words[1]))
        if let route = try? NtfyRoute(method: method, path: path.span) { read(route, query) }
        guard let route = try? GotifyRoute.find(method, path.span) else { return }
        precondition(route.id >= 0, "a wrong id")
        _ = try? GotifyPage(query: query.span)
        read(body, "multipart/form-data; boundary=b", query)
    }

    private static func read(_ route: NtfyRoute, _ query: [UInt8]) {
        var fields = NtfyFields()
        fields.record(query: query.span)
        guard case .stream(let form, let topics) = route else { return }
        precondition(!topics.isEmpty && topics.allSatisfy { !$0.isReserved }, "wrong names")
        let now: Int64 = 1_800_000_000
        let request = try? StreamRequest(topics, as: form, fields, now: now)
        guard let request, let topic = topics.first else { return }
        let id = TopicMessageID(number: 1)
        let message = TopicMessage(id: id, time: now)
        _ = request.filter.passes(message)
        var plan = ReplayPlan(request.since, newest: 1)
        plan.count(1, time: now, topic: topic, size: 1)
        plan.endCount()
        isJSON(NtfyJSON.event(.open, id, time: now, topics: request.list))
    }

    /// The type in the first line, the query in the second, then the body: a message, an application
    /// and a picture.
    static func readGotify(_ bytes: [UInt8]) {
        let (type, rest) = parts(of: bytes)
        let (query, body) = parts(of: rest)
        read(body, String(decoding: type, as: UTF8.self), query)
    }

    private static func read(_ body: [UInt8], _ type: String, _ query: [UInt8]) {
        let type = Array(type.utf8)
        _ = try? GotifyPicture(type: type.span, body)
        guard let fields = try? GotifyFields(type: type.span, body, query: query.span) else {
            return
        }
        if let content = try? TopicContent(fields, defaultPriority: 5) {
            precondition(!content.text.isEmpty, "nothing to read")
            precondition(TopicContent.decoded(content.coded) == content, "stored otherwise")
            let message = TopicMessage(id: TopicMessageID(number: 1), time: 0, content)
            if let own = GotifyMessage(message, id: 1, application: 1, named: "a") {
                isJSON(own.json)
            }
        }
        _ = try? fields.application
        guard let application = try? GotifyApplicationFields(fields) else { return }
        for attempt in [0, 1, 99] {
            let name = application.topicName(attempt: attempt)
            precondition(name?.isReserved == false, "a name that is no topic's")
        }
    }

    /// Host in the first line, then header fields up to an empty line, then the query.
    static func readCaller(_ bytes: [UInt8]) {
        let request = WrittenRequest(bytes)
        var caller = CallerFields()
        request.eachField { caller.record($0, $1) }
        caller.record(query: request.body.span)
        for face in TopicFace.allCases {
            let own = try? caller.credential(at: face, isOriginForeign: false)
            let foreign = try? caller.credential(
                at: face, isOriginForeign: true, changesByGET: true)
            precondition(foreign == nil || foreign == own, "more for a foreign page")
            if case .token(let token) = own?.secret {
                precondition(TopicToken(token.text) == token, "a token of no form")
            }
        }
        let host = String(decoding: request.first, as: UTF8.self)
        let anonymous = AnonymousCaller(
            isListenerForThisMachine: true, isRegistrationOpen: true, host: host)
        _ = anonymous.caller(caller)
    }

    /// Requests about tokens.
    static func readTokenRequest(_ bytes: [UInt8]) {
        if let token = try? ServiceToken(request: bytes) { isJSON(token.json) }
        guard let pattern = TopicPattern(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(TopicPattern(pattern.text) == pattern, "a pattern of two forms")
        let name = TopicName(pattern.text.filter { $0 != "*" })
        precondition(name.map(pattern.matches) != false, "it matches not even its own letters")
    }
}
