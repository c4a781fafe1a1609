import Base
import Crypto
import Glibc
import System

/// The load program: subscribers and publishers of one service, on one thread.
final class PushLoad {
    let options: PushLoadOptions
    let context: LoadConnection.Context
    let server: MeasuredProcess
    let requestRest: [UInt8]
    /// Those of the file that the options name.
    private let agents: [KnownAgent]
    private let bearers: [String]
    private(set) var subscribers: [any LoadSubscriber] = []
    private(set) var publishers: [any LoadPublisher] = []
    @exclusivity(unchecked) var tally = PushTally()
    /// Called when everything that was started is ready.
    private var whenReady: (() -> Void)?
    private var waiting: ArraySlice<() throws -> Void> = []
    private var underWay = 0
    private var refusalsShown = 0
    private(set) var retries = 0
    @exclusivity(unchecked) private var body: StampedBody
    @exclusivity(unchecked) private var nextDestination = 0
    @exclusivity(unchecked) private var destinations: [[UInt8]] = []
    @exclusivity(unchecked) private var prepared: PreparedPushes?
    /// Called for each publisher that may publish again.
    @exclusivity(unchecked) var onAnswer: ((any LoadPublisher) -> Void)?

    /// How many connections are opened at the same time, unless all are.
    static let burst = 64
    /// Milliseconds until a client that was turned away tries again.
    private static let longestPause = 20_000
    /// How many clients show the same credential.
    static let share = 500

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
        agents =
            options.agents.isEmpty || options.mode == .register
            ? [] : try KnownAgent.read(options.agents)
        if options.mode == .registrations {
            let targets = try RegisteredTargets(file: options.targets)
            prepared = try PreparedPushes(targets, count: options.count, port: options.port)
            bearers = [targets.bearer.withSpan(Base64URL.text)]
        } else {
            bearers = try Self.words(options.bearers)
        }
        requestRest = HTTPPublisher.requestRest(
            port: options.port, ttl: options.ttl, length: body.bytes.count)
    }

    func run() {
        switch options.mode {
        case .load, .registrations:
            makeSubscribers()
            openSubscribers { self.openPublishers { self.beginTraffic() } }
        case .register:
            makeSubscribers()
            openSubscribers { self.keepSubscribers() }
        case .absent:
            destinations =
                options.isOfTopics
                ? (0..<options.subscribers).map { Array(TopicSubscriber.path($0, self).utf8) }
                : agents.map { Array($0.path.utf8) }
            openPublishers { self.beginTraffic() }
        case .idle: beginIdling()
        case .storm: beginStorm()
        }
        _ = context.loop.run()
    }

    private static func words(_ file: String) throws -> [String] {
        guard !file.isEmpty else { return [] }
        return String(decoding: try TextFile.read(file), as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The credential of the client with this number; nil for a stranger.
    func bearer(_ number: Int) -> String? {
        bearers.isEmpty ? nil : bearers[number / Self.share % bearers.count]
    }

    /// Nil if that client was not registered before.
    func agent(_ number: Int) -> KnownAgent? { number < agents.count ? agents[number] : nil }

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

    /// A client that is turned away in a storm tries again, as real ones do: not all at once.
    func lost(_ subscriber: any LoadSubscriber, _ reason: String) {
        guard options.mode == .storm else { return lost("subscriber", reason) }
        retries += 1
        let pause = Duration.milliseconds(Int.random(in: 1_000...Self.longestPause))
        after(pause) { self.open { try subscriber.connect() } }
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
    func makeSubscribers() {
        let kind: any LoadSubscriber.Type =
            switch options.service {
            case .bellwire where options.mode == .registrations: EngineSubscriber.self
            case .bellwire where options.isOfTopics: TopicSubscriber.self
            case .bellwire: AutopushSubscriber.self
            case .nginx, .nchan: WebSocketSubscriber.self
            case .mosquitto: MQTTSubscriber.self
            }
        subscribers = (0..<options.subscribers).map { kind.init($0, of: self) }
        findDestinations()
    }

    func openSubscribers(_ burst: Int = PushLoad.burst, _ then: @escaping () -> Void) {
        connect(subscribers.map { subscriber in { try subscriber.connect() } }, burst) {
            self.findDestinations()
            then()
        }
    }

    private func findDestinations() {
        destinations = options.mode == .registrations ? [] : subscribers.map(\.destination)
    }

    private func keepSubscribers() {
        do {
            try KnownAgent.write(
                subscribers.compactMap { ($0 as? AutopushSubscriber)?.known }, to: options.agents)
            finish([("clients", "\(subscribers.count)")])
        } catch {
            lost("clients", "\(error)")
        }
    }

    func openPublishers(_ then: @escaping () -> Void) {
        let kind: any LoadPublisher.Type =
            switch options.service {
            case .mosquitto: MQTTPublisher.self
            case _ where options.mode == .registrations: RegistrationPublisher.self
            case _ where options.isOfTopics: TopicPublisher.self
            case _ where options.isGateway: MatrixPublisher.self
            default: HTTPPublisher.self
            }
        publishers = (0..<options.publishers).map { kind.init($0, of: self) }
        connect(publishers.map { publisher in { try publisher.connect() } }, Self.burst, then)
    }

    private func connect(
        _ steps: [() throws -> Void], _ burst: Int, _ then: @escaping () -> Void
    ) {
        guard !steps.isEmpty else { return then() }
        waiting = steps[...]
        whenReady = then
        underWay = 0
        for _ in 0..<burst { connectNext() }
    }

    private func connectNext() {
        guard let step = waiting.popFirst() else { return }
        underWay += 1
        open(step)
    }

    private func open(_ step: () throws -> Void) {
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
    /// A prime, so that all clients have their turn, and neighbours do not follow each other.
    private static let stride = 7_919

    func publish(by publisher: any LoadPublisher) {
        body.stamp(tally.send(), at: Clock.nanoseconds)
        // Publishers without destinations bring their own messages.
        guard !destinations.isEmpty else { return publisher.publish([], to: []) }
        nextDestination = (nextDestination + Self.stride) % destinations.count
        publisher.publish(body.bytes, to: destinations[nextDestination])
    }

    func nextPrepared() -> [UInt8]? { prepared?.next() }

    /// Messages that were accepted and that nobody will receive. The others forget what they
    /// accept for clients that are not there.
    var lost: Int {
        switch options.mode {
        case .load: tally.lost
        case .storm: options.service == .bellwire ? tally.lost : 0
        default: 0
        }
    }

    /// A client has received an update.
    func receivedUpdate() { tally.countUpdate() }

    func received(_ stamp: StampedBody.Stamp?) {
        guard let stamp else { return lost("subscriber", "received a message without our stamp") }
        tally.receive(stamp, at: Clock.nanoseconds)
    }

    func answered(_ publisher: any LoadPublisher, after nanoseconds: Int, isAccepted: Bool) {
        tally.answer(after: nanoseconds, isAccepted: isAccepted)
        onAnswer?(publisher)
    }
}
