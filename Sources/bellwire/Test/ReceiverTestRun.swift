import Base
import Crypto
import HTTP
import System
import WebPush

/// Performs the actions of a `ReceiverTest` on a loop of its own.
final class ReceiverTestRun {
    private static let patience = Duration.seconds(10)
    private static let terms = WebSocketTerms(
        subprotocols: ["push-notification"], session: .init(messageLimit: 1 << 20))

    private let loop: EventLoop
    private let sender: TestSender
    private let options: WebSocketClientOptions
    private let channel: ChannelID
    private let report: (HopResult) -> Void
    private let isCredentialNew: Bool
    private var test: ReceiverTest
    private var reported = 0
    private var connection: WebSocketConnection?
    private var timer: TimerID?

    private init(
        _ loop: EventLoop, _ sender: TestSender, _ options: WebSocketClientOptions,
        _ channel: ChannelID, _ test: ReceiverTest, isCredentialNew: Bool,
        _ report: @escaping (HopResult) -> Void
    ) {
        self.loop = loop
        self.sender = sender
        self.options = options
        self.channel = channel
        self.test = test
        self.report = report
        self.isCredentialNew = isCredentialNew
    }

    /// Returns when the test is done. User agents connect to `url`; endpoints must begin with
    /// `baseURL`.
    static func run(
        _ url: ClientURL, baseURL: String, isCredentialNew: Bool, authorities: String?,
        report: @escaping (HopResult) -> Void
    ) throws {
        let loop = try EventLoop()
        let sender = try TestSender.make(on: loop, authorities: authorities)
        let options = try options(url, authorities)
        let name = try Random.bytes(count: 16)
        guard let bits = Bits128(name.span) else {
            preconditionFailure("the name does not have 128 bits")
        }
        let run = ReceiverTestRun(
            loop, sender, options, ChannelID(bits), ReceiverTest(baseURL: baseURL),
            isCredentialNew: isCredentialNew, report)
        run.perform([.connect])
        _ = loop.run()
    }

    private static func options(
        _ url: ClientURL, _ authorities: String?
    ) throws -> WebSocketClientOptions {
        let trust = try authorities.map { Trust.authorities(try TextFile.read($0)) } ?? .system
        return WebSocketClientOptions(
            url: url, terms: terms, context: try TLSContext(client: trust, protocols: [.http1]))
    }

    private func handle(_ event: ReceiverTest.Event) {
        perform(test.handle(event, now: .nanoseconds(Instant.now.nanoseconds)))
    }

    private func perform(_ actions: [ReceiverTest.Action]) {
        for result in test.results[reported...] { report(result) }
        reported = test.results.count
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: Interval(Self.patience), self)
        for action in actions { perform(action) }
    }

    private func perform(_ action: ReceiverTest.Action) {
        switch action {
        case .connect: WebSocketClient.connect(options, on: loop, self)
        case .disconnect:
            connection.take()?.close()
        case .hello(let userAgent): say { ClientRequest.appendHello(userAgent, to: &$0) }
        case .register:
            say { ClientRequest.appendRegister(channel, key: sender.applicationKey, to: &$0) }
        case .unregister: say { ClientRequest.appendUnregister(channel, to: &$0) }
        case .acknowledge(let version):
            say {
                ClientRequest.appendAcknowledgement(
                    channel, version: version, isDelivered: true, to: &$0)
            }
        case .push(let endpoint): push(to: endpoint)
        case .finish:
            connection.take()?.close()
            sender.close()
            loop.drain(within: .seconds(1))
        }
    }

    private func say(_ text: (inout [UInt8]) -> Void) {
        var frame: [UInt8] = []
        text(&frame)
        connection?.send(text: frame.span)
    }

    private func push(to endpoint: String) {
        sender.push(to: endpoint) { result in
            switch result {
            case .success(let status): self.handle(.answered(status: status))
            case .failure(let failure): self.handle(.unanswered(failure.message))
            }
        }
    }
}

extension ReceiverTestRun: WebSocketClientHandler, TimerHandler {
    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        self.connection = connection
        handle(.opened)
    }

    func failed(_ failure: ClientFailure) {
        handle(
            .cut(
                ReceiverTest.notConnected(
                    failure, host: options.url.host, isNew: isCredentialNew)))
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        guard let said = try? ServiceMessage(text) else { return }
        switch said {
        case .hello(let userAgent, _): handle(.hello(userAgent: userAgent))
        case .registered(_, let status, let endpoint):
            handle(endpoint.map { .registered(endpoint: $0) } ?? .refused(status: status))
        case .unregistered: handle(.unregistered)
        case .notification(let notification):
            let isOurs = sender.isLast(notification.data)
            handle(.received(version: notification.version, isOurs: isOurs))
        case .withdrawn, .pong, .other: break
        }
    }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        // The end of a connection that was replaced is no failure.
        guard connection === self.connection else { return }
        handle(
            .cut(
                .failed(
                    .link, "the connection was lost: \(end)",
                    advice: "make the proxy keep WebSockets open; deploy/nginx has a sample")))
    }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        handle(.timedOut)
    }
}
