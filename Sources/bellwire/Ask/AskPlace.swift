import Base
import Configuration
import Crypto
import Outbound
import System
import WebPush

/// Where a question is asked: the control socket of a server on this machine, or the address of a
/// topic.
struct AskPlace: Confidential {
    let topic: String
    private let base: String
    private let askPath: String
    private let questionPath: String
    /// Where the control socket may be; nil for the address of a topic.
    private let server: (configuration: ServerConfiguration, isNamed: Bool)?
    private let certificateFile: String?
    private let token: String?
    /// The socket of the server that has the question, once that is known.
    private var known: String?

    init(_ arguments: Arguments) throws {
        let topic = arguments.positional[0]
        guard topic.hasPrefix("https://") || topic.hasPrefix("http://") else {
            guard arguments["token"] == nil else {
                throw CommandError.usage(
                    "--token is for the address of a topic", hint: "write https://HOST/TOPIC")
            }
            self.topic = topic
            (base, askPath) = ("http://localhost", "/api/v1/questions")
            questionPath = askPath + "/"
            server = (try ConfigurationSources.read(arguments), arguments.has("state"))
            (certificateFile, token) = (nil, nil)
            _ = try socket()
            return
        }
        guard let slash = topic.lastIndex(of: "/"), let origin = Origin(url: topic),
            !topic[topic.index(after: slash)...].isEmpty, !topic[..<slash].hasSuffix("/")
        else { throw CommandError.usage("not the address of a topic: write https://HOST/TOPIC") }
        self.topic = String(topic[topic.index(after: slash)...])
        base = String(topic[..<slash])
        (askPath, questionPath, server) = ("/", "/v1/questions/", nil)
        guard let file = arguments["token"] else {
            throw CommandError.usage(
                "who asks needs a token",
                hint: "make one by bellwire token add, and name its file by --token")
        }
        token =
            String(decoding: try KeyFile.read(file), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).first.map { String($0) } ?? ""
        let configuration = try? ConfigurationSources.readDefault()
        certificateFile =
            arguments["ca-file"]
            ?? configuration.flatMap { DevelopmentAuthority.file($0, for: origin.host) }
    }

    /// Before the question is asked, any server may come. One that ends removes its socket.
    private func socket() throws -> String? {
        if let known { return known }
        return try server.map {
            try ControlConnection($0.configuration, isNamed: $0.isNamed, isAwaited: true).path
        }
    }

    /// The place of a question that `request` has asked: no other server knows it.
    func staying(after request: HTTPRequest) -> AskPlace {
        var place = self
        place.known = request.unixSocket
        return place
    }

    /// What a user has to look at if nobody answers.
    var name: String { (try? socket()) ?? base }

    /// Asks; the answer comes at once, with the id of the question.
    func asking(_ wish: AskWish) throws -> HTTPRequest {
        var request = try request("POST", askPath, wish.json(of: topic))
        // RFC 7240 section 4.1.
        request.fields.append(("Prefer", "respond-async"))
        return request
    }

    /// Waits for the end of the question, but at most so many seconds.
    func waiting(for id: String, _ seconds: Int) throws -> HTTPRequest {
        var request = try request("GET", "\(questionPath)\(id)?wait=\(seconds)s")
        request.timeoutSeconds = seconds + HTTPClient.connectTimeoutSeconds
        return request
    }

    func withdrawal(of id: String) throws -> HTTPRequest {
        try request("DELETE", questionPath + id)
    }

    private func request(
        _ method: String, _ path: String, _ body: [UInt8] = []
    ) throws -> HTTPRequest {
        var request = HTTPRequest(
            method: method, url: base + path,
            fields: body.isEmpty ? [] : [("Content-Type", "application/json")], body: body,
            certificateFile: certificateFile, unixSocket: try socket())
        if let token { request.fields.append(("Authorization", "Bearer " + token)) }
        return request
    }
}

/// A name that nobody else gives to a question.
enum RandomKey {
    static func make() throws -> String {
        var random = RandomSupply()
        var bytes: [UInt8] = []
        for _ in 0..<2 { bytes.append(bigEndian: try random.word()) }
        return Base64URL.text(bytes.span)
    }
}
