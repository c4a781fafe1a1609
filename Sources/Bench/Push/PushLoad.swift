import Base
import Glibc
import Reactor
import System
import TLS

/// The load program: subscribers and publishers of one service, on one thread.
final class PushLoad {
    let options: PushLoadOptions
    let context: LoadConnection.Context
    let server: MeasuredProcess
    let requestRest: [UInt8]
    private(set) var subscribers: [any LoadSubscriber] = []
    private(set) var publishers: [any LoadPublisher] = []
    @exclusivity(unchecked) var tally = PushTally()
    /// Called when everything that was started is ready.
    private var whenReady: (() -> Void)?
    private var waiting: ArraySlice<() throws -> Void> = []
    private var underWay = 0
    private var refusalsShown = 0
    @exclusivity(unchecked) private var body: StampedBody
    @exclusivity(unchecked) private var nextDestination = 0
    @exclusivity(unchecked) private var destinations: [[UInt8]] = []
    @exclusivity(unchecked) private var prepared: PreparedPushes?
    private(set) var bearer = ""
    /// Called for each received message.
    @exclusivity(unchecked) var onReceipt: (() -> Void)?
    /// Called for each publisher that may publish again.
    @exclusivity(unchecked) var onAnswer: ((any LoadPublisher) -> Void)?

    /// How many connections are opened at the same time, unless all are.
    static let burst = 64

    init(_ options: PushLoadOptions) throws {
        self.options = options
        guard let address = SocketAddress("127.0.0.1:\(options.port)") else {
            throw Options.Failure(message: "--port takes a number up to 65535")
        }
        let trust = Trust.authorities(try TextFile.read(options.certificate))
        let tls = try TLSContext(
            client: trust, protocols: options.service == .mosquitto ? [] : [.http1])
        context = LoadConnection.Context(try EventLoop(), address, tls)
        server = MeasuredProcess(number: options.process)
        body = StampedBody(length: options.size)
        if options.mode == .registrations {
            let targets = try RegisteredTargets(file: options.targets)
            prepared = try PreparedPushes(targets, count: options.count, port: options.port)
            bearer = targets.bearer.withSpan(Base64URL.text)
        }
        requestRest = HTTPPublisher.requestRest(port: options.port, length: body.bytes.count)
    }

    func run() {
        switch options.mode {
        case .load: openSubscribers { self.openPublishers { self.beginTraffic() } }
        case .absent:
            openSubscribers {
                self.disconnectSubscribers()
                self.openPublishers { self.beginTraffic() }
            }
        case .registrations: openClients { self.openPublishers { self.beginTraffic() } }
        case .idle: beginIdling()
        case .storm: beginStorm()
        }
        _ = context.loop.run()
    }

    func after(_ duration: Duration, _ action: @escaping () -> Void) {
        _ = context.loop.schedule(after: Interval(duration), Later(action))
    }

    private final class Later: TimerHandler {
        private let action: () -> Void
        init(_ action: @escaping () -> Void) { self.action = action }
        func timerFired(_ cookie: UInt64) { action() }
    }

    func finish(_ results: [(name: String, value: String)]) {
        print(results.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
        context.loop.stop()
    }

    func lost(_ who: String, _ reason: String) {
        StandardError.write("Bench: error: \(who): \(reason)\n")
        exit(1)
    }

    func refused(_ answer: String) {
        refusalsShown += 1
        if refusalsShown <= 3 { StandardError.write("Bench: refused: \(answer)\n") }
    }
}

/// Opening.
extension PushLoad {
    func openSubscribers(_ then: @escaping () -> Void) {
        let kind: any LoadSubscriber.Type =
            switch options.service {
            case .bellwire: AutopushSubscriber.self
            case .nchan: WebSocketSubscriber.self
            case .mosquitto: MQTTSubscriber.self
            }
        subscribers = (0..<options.subscribers).map { kind.init($0, of: self) }
        connect(subscribers.map { subscriber in { try subscriber.connect() } }, Self.burst) {
            self.destinations = self.subscribers.map(\.destination)
            then()
        }
    }

    /// One for each account.
    private func openClients(_ then: @escaping () -> Void) {
        subscribers = RegisteredTargets.accounts.indices.map { EngineSubscriber($0, of: self) }
        connect(subscribers.map { client in { try client.connect() } }, Self.burst, then)
    }

    func openPublishers(_ then: @escaping () -> Void) {
        let kind: any LoadPublisher.Type =
            options.service == .mosquitto
            ? MQTTPublisher.self
            : options.mode == .registrations
                ? RegistrationPublisher.self
                : options.isGateway ? MatrixPublisher.self : HTTPPublisher.self
        publishers = (0..<options.publishers).map { kind.init($0, of: self) }
        connect(publishers.map { publisher in { try publisher.connect() } }, Self.burst, then)
    }

    func disconnectSubscribers() {
        for subscriber in subscribers { subscriber.disconnect() }
    }

    /// Reconnects the same user agents, all at once.
    func reconnectSubscribers(_ then: @escaping () -> Void) {
        let steps = subscribers.map { subscriber in { try subscriber.connect() } }
        connect(steps, steps.count, then)
    }

    private func connect(
        _ steps: [() throws -> Void], _ burst: Int, _ then: @escaping () -> Void
    ) {
        waiting = steps[...]
        whenReady = then
        underWay = 0
        for _ in 0..<burst { connectNext() }
    }

    private func connectNext() {
        guard let step = waiting.popFirst() else { return }
        underWay += 1
        do {
            try step()
        } catch {
            lost("connection", "\(error)")
        }
    }

    func isReady(_ speaker: any LoadSpeaker) {
        underWay -= 1
        connectNext()
        guard underWay == 0, let action = whenReady else { return }
        whenReady = nil
        action()
    }
}

/// Messages.
extension PushLoad {
    func publish(by publisher: any LoadPublisher) {
        body.stamp(tally.send(), at: Clock.nanoseconds)
        // Publishers without destinations bring their own messages.
        guard !destinations.isEmpty else { return publisher.publish([], to: []) }
        nextDestination = nextDestination + 1 < destinations.count ? nextDestination + 1 : 0
        publisher.publish(body.bytes, to: destinations[nextDestination])
    }

    func nextPrepared() -> [UInt8]? { prepared?.next() }

    /// A client has received an update.
    func receivedUpdate() { tally.countUpdate() }

    func received(_ stamp: StampedBody.Stamp?) {
        guard let stamp else { return lost("subscriber", "received a message without our stamp") }
        tally.receive(stamp, at: Clock.nanoseconds)
        onReceipt?()
    }

    func answered(_ publisher: any LoadPublisher, after nanoseconds: Int, isAccepted: Bool) {
        tally.answer(after: nanoseconds, isAccepted: isAccepted)
        onAnswer?(publisher)
    }
}
