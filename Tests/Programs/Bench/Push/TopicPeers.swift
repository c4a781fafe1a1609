import Base

/// Reads a topic as ntfy's programs do: one request whose answer does not end, a line of JSON for
/// each message.
final class TopicSubscriber: LoadSubscriber {
    private let load: PushLoad
    private let number: Int
    private var connection: LoadConnection?
    private var isOpen = false

    /// Those who share a credential have the topics of one owner.
    static func path(_ number: Int, _ load: PushLoad) -> String {
        "/\(load.options.topics)\(number % PushLoad.share)"
    }

    private var path: String { Self.path(number, load) }
    var destination: [UInt8] { Array(path.utf8) }

    required init(_ number: Int, of load: PushLoad) {
        self.number = number
        self.load = load
    }

    func connect() throws { connection = try LoadConnection(load.context, self) }

    func opened(_ connection: LoadConnection) {
        let lines = [
            "GET \(path)/json HTTP/1.1",
            "Host: \(LoadConnection.host):\(load.options.port)",
            "Authorization: Bearer \(load.bearer(number) ?? "")", "", "",
        ]
        connection.output += Array(lines.joined(separator: "\r\n").utf8)
        connection.flush()
    }

    func lost(_ reason: String) {
        connection?.end()
        load.lost(self, reason)
    }

    func received(_ bytes: inout MutableSpan<UInt8>, on connection: LoadConnection) -> Int {
        let bytes = bytes.span
        var used = 0
        if !isOpen {
            // The first line is the event `open`.
            guard let end = bytes.end(of: #""event":"open""#) else { return 0 }
            isOpen = true
            used = end
            load.isReady(self)
        }
        while let end = bytes.end(of: "\n", from: used) {
            let line = bytes.extracting(used..<end)
            used = end
            guard let start = line.end(of: #""message":""#) else { continue }
            load.received(StampedBody.stamp(ofEncoded: line, at: start))
        }
        return used
    }
}

/// A program that publishes to topics, with a credential and a text that shows its stamp.
final class TopicPublisher: HTTPPublisher {
    override func publish(_ body: [UInt8], to destination: [UInt8]) {
        let text = Base64URL.text(body.span)
        let lines = [
            " HTTP/1.1", "Host: \(LoadConnection.host):\(load.options.port)",
            "Authorization: Bearer \(load.bearer(0) ?? "")",
            "Content-Length: \(text.utf8.count)", "", "",
        ]
        let head = Array("POST ".utf8) + destination + Array(lines.joined(separator: "\r\n").utf8)
        send(head + Array(text.utf8))
    }
}
