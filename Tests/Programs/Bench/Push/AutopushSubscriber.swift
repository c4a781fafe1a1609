import Base

/// A user agent like Firefox: it says hello, registers one channel, and acknowledges each
/// notification.
final class AutopushSubscriber: WebSocketSubscriber {
    private var endpoint: [UInt8]
    private var userAgent: [UInt8]
    private let channel: String
    /// An acknowledgement without its version, in one piece.
    private var acknowledgement: [UInt8]
    private let versionStart: Int

    var known: KnownAgent {
        KnownAgent(
            name: String(decoding: userAgent, as: UTF8.self),
            path: String(decoding: endpoint, as: UTF8.self))
    }

    override var destination: [UInt8] { endpoint }
    override var target: String { "/" }
    override var subprotocols: [String] { ["push-notification"] }

    private static let versionLength = 22
    private static let emptyVersion = String(repeating: ".", count: versionLength)

    required init(_ number: Int, of load: PushLoad) {
        let digits = String(1_000_000_000_000 + number)
        channel = "00000000-0000-4000-8000-\(digits.suffix(12))"
        let start = #"{"messageType":"ack","updates":[{"channelID":"\#(channel)","version":""#
        versionStart = start.utf8.count
        acknowledgement = Array((start + Self.emptyVersion + #"","code":100}]}"#).utf8)
        let known = load.agent(number)
        userAgent = Array((known?.name ?? "").utf8)
        endpoint = Array((known?.path ?? "").utf8)
        super.init(number, of: load)
    }

    override func upgraded() {
        let name = String(decoding: userAgent, as: UTF8.self)
        send(Array(#"{"messageType":"hello","use_webpush":true,"uaid":"\#(name)"}"#.utf8))
    }

    override func receive(_ message: Span<UInt8>) {
        if let version = message.end(of: #""version":""#) {
            receive(message, version)
        } else if let name = message.end(of: #""uaid":""#) {
            userAgent = Self.value(message, from: name)
            if endpoint.isEmpty, !load.options.isHelloOnly {
                register()
            } else {
                load.isReady(self)
            }
        } else if let url = message.end(of: #""pushEndpoint":""#) {
            // A publisher only needs the path.
            let text = Self.value(message, from: url)
            if text.isEmpty { return lost("was given no endpoint") }
            let start = text.span.end(of: "://").flatMap { text[$0...].firstIndex(of: 0x2F) }
            endpoint = Array(text[(start ?? 0)...])
            load.isReady(self)
        } else {
            lost(String(decoding: message.array(message.indices), as: UTF8.self))
        }
    }

    private func receive(_ message: Span<UInt8>, _ version: Int) {
        guard let data = message.end(of: #""data":""#, from: version) else {
            return lost("received a notification without data")
        }
        load.received(
            load.options.isGateway
                ? MatrixPublisher.stamp(ofEncoded: message, at: data)
                : StampedBody.stamp(ofEncoded: message, at: data))
        for index in 0..<Self.versionLength {
            acknowledgement[versionStart + index] = message[version + index]
        }
        send(acknowledgement)
    }

    private func register() {
        send(Array(#"{"messageType":"register","channelID":"\#(channel)"}"#.utf8))
    }

    private static func value(_ text: Span<UInt8>, from start: Int) -> [UInt8] {
        text.array(start..<(text.firstIndex(of: UInt8(ascii: "\""), from: start) ?? start))
    }
}
