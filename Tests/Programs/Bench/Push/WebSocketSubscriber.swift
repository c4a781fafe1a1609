import HTTP

/// A client that receives what is published on a topic, each message as one WebSocket message, as
/// from nchan.
class WebSocketSubscriber: LoadSubscriber {
    let load: PushLoad
    let number: Int
    private(set) var connection: LoadConnection?
    private var isUpgraded = false
    private var session: WebSocketSession

    private static let limits = WebSocketSession.Limits(messageLimit: 1 << 20)

    var destination: [UInt8] { Array("/pub/\(topic)".utf8) }
    /// The target of the upgrade request.
    var target: String { "/sub/\(topic)" }
    var subprotocols: [String] { [] }
    var fields: [(name: String, value: String)] {
        load.bearer(number).map { [("Authorization", "Bearer \($0)")] } ?? []
    }
    private var topic: String { "t\(number)" }

    required init(_ number: Int, of load: PushLoad) {
        self.number = number
        self.load = load
        session = Self.newSession
    }

    /// A fixed mask is enough, because no intermediary has to be protected.
    private static var newSession: WebSocketSession {
        WebSocketSession(
            limits: limits, maskingKeys: { 0x5A5A_5A5A }, at: .nanoseconds(Clock.nanoseconds))
    }

    func connect() throws {
        isUpgraded = false
        session = Self.newSession
        connection = try LoadConnection(load.context, self)
    }

    func opened(_ connection: LoadConnection) {
        let key = [UInt8](repeating: 7, count: WebSocketOpening.keyLength)
        let opening = WebSocketOpening(key: key.span, subprotocols: subprotocols)
        connection.output += opening.request(
            host: "\(LoadConnection.host):\(load.options.port)", target: target, fields: fields)
        connection.flush()
    }

    func lost(_ reason: String) {
        connection?.end()
        load.lost(self, reason)
    }

    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int {
        var position = 0
        if !isUpgraded {
            guard let end = bytes.span.end(of: "\r\n\r\n") else { return 0 }
            guard bytes.span.end(of: "HTTP/1.1 101 ") == 13 else {
                lost("not upgraded")
                return end
            }
            isUpgraded = true
            position = end
            upgraded()
        }
        let now = Duration.nanoseconds(load.context.loop.now.nanoseconds)
        while let delivery = session.next(
            in: &bytes, at: &position, now, output: &connection.output)
        {
            switch delivery {
            case .text(let payload), .binary(let payload):
                payload.withSpan(in: bytes.span) { receive($0) }
            case .end: lost("closed")
            }
        }
        if !connection.output.isEmpty { connection.flush() }
        return position
    }

    func upgraded() { load.isReady(self) }

    func receive(_ message: Span<UInt8>) { load.received(StampedBody.stamp(of: message, at: 0)) }

    /// The text is sent together with the other answers to the received data.
    func send(_ text: [UInt8]) {
        guard let connection else { return }
        _ = session.send(.text, text.span, to: &connection.output)
    }
}
