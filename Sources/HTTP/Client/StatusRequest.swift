package import Base
package import Crypto
package import System

/// A request that somebody else has written, and of whose answer only the status is wanted.
package struct StatusRequest: Equatable, Sendable, Confidential {
    /// Why it is never sent.
    package enum Flaw: Error, Equatable, Sendable {
        case url
        case method
        case field
    }

    package let url: ClientURL
    private let head: [UInt8]
    private let body: [UInt8]

    /// Those of the connection (RFC 9110 section 7.6.1), and those that would speak for somebody
    /// else. They begin so, or are so.
    private static let refusedBeginnings = ["proxy-"]
    private static let refused: Set = [
        "host", "cookie", "cookie2", "content-length", "connection", "keep-alive", "te", "trailer",
        "transfer-encoding", "upgrade", "expect", "http2-settings",
    ]

    /// `usual`: fields that are sent unless there are others of that name.
    package init(
        _ method: String, _ address: String, fields: [(name: String, value: String)],
        usual: [(name: String, value: String)] = [], body: String
    ) throws(Flaw) {
        guard let url = ClientURL(http: address) else { throw .url }
        guard Self.isToken(method), method != "CONNECT", method != "TRACE" else { throw .method }
        let names = Set(fields.map { $0.name.lowercased() })
        guard fields.allSatisfy({ Self.isSent($0.name, $0.value) }) else { throw .field }
        var lines = ["\(method) \(url.target) HTTP/1.1", "Host: \(url.authority)"]
        lines += fields.map { "\($0.name): \($0.value)" }
        lines += usual.filter { !names.contains($0.name.lowercased()) }
            .map { "\($0.name): \($0.value)" }
        // RFC 9110 section 8.6: these say so even if they have none.
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            lines.append("Content-Length: \(body.utf8.count)")
        }
        lines += ["Connection: close", "", ""]
        self.url = url
        head = Array(lines.joined(separator: "\r\n").utf8)
        self.body = Array(body.utf8)
    }

    var bytes: [UInt8] { head + body }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40 && text.utf8.allSatisfy(\.isTokenCharacter)
    }

    private static func isSent(_ name: String, _ value: String) -> Bool {
        let lower = name.lowercased()
        return isToken(name) && !refused.contains(lower)
            && !refusedBeginnings.contains(where: lower.hasPrefix)
            && value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Sends a `StatusRequest` by a `ClientConnection`. Redirects are answers like others, and only the
/// head of an answer is read.
package final class StatusClient: ClientConnectionHandler {
    private static let patience = {
        var patience = ClientRoute.Patience()
        (patience.lookup, patience.connect, patience.handshake) =
            (.seconds(5), .seconds(5), .seconds(5))
        (patience.upgrade, patience.whole) = (.seconds(20), .seconds(30))
        return patience
    }()

    private var completion: ((Result<Int, ClientFailure>) -> Void)?
    private var reader = HTTP1AnswerReader()

    private init(_ completion: @escaping (Result<Int, ClientFailure>) -> Void) {
        self.completion = completion
    }

    /// Calls `completion` once. `objection` says why an address must not be connected to, or nil.
    package static func send(
        _ request: StatusRequest, trust context: TLSContext, on loop: EventLoop,
        objection: @escaping @Sendable (SocketAddress) -> DialRefusal?,
        completion: @escaping (Result<Int, ClientFailure>) -> Void
    ) {
        var route = ClientRoute(to: request.url, context)
        (route.patience, route.objection) = (patience, objection)
        ClientConnection(route, on: loop, sending: request.bytes, StatusClient(completion)).start()
    }

    func received(_ input: Span<UInt8>, over connection: ClientConnection) -> Bool {
        do throws(HTTP1AnswerReader.Broken) {
            guard let answer = try reader.read(input) else { return true }
            completion.take()?(.success(answer.status))
            connection.cancel()
        } catch {
            connection.fail(.unreadableAnswer)
        }
        return false
    }

    func failed(_ failure: ClientFailure) { completion.take()?(.failure(failure)) }
}
