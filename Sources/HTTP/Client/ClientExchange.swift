import Base
import Crypto
import System

/// Who wants an exchange. It gets either `answered` or `failed`, once.
protocol ClientExchangeHandler: AnyObject {
    /// The request as it is sent, once there is a connection for it.
    func request() -> [UInt8]
    /// The head of the answer is there. The connection is the handler's.
    func answered(
        _ answer: HTTP1AnswerReader.Answer, over transport: consuming Transport,
        to peer: SocketAddress)
    func failed(_ failure: ClientFailure)
}

/// One request over a connection of its own, up to the head of the answer: resolves the name,
/// connects, shakes hands, writes and reads.
///
/// The loop keeps it alive while it works. Everything runs on the thread of the loop.
// Unchecked: it is used only on the thread of the loop; the name lookup also calls back there.
final class ClientExchange: EventHandler, TimerHandler, @unchecked Sendable {
    private enum Stage {
        case under(ClientFailure.Stage)
        case done
    }

    private let route: ClientRoute
    private let loop: EventLoop
    private var handler: (any ClientExchangeHandler)?
    private var stage = Stage.under(.lookup)
    /// When all of it is over, by the loop's clock.
    private let end: Duration
    /// The addresses that are left to try.
    private var addresses: ArraySlice<SocketAddress> = []
    private var peer = SocketAddress.unix(path: "")
    private var transport: Transport?
    private var watch: WatchID?
    private var timer: TimerID?
    private var output: [UInt8] = []
    private var written = 0
    private var reader = HTTP1AnswerReader()

    init(_ route: ClientRoute, on loop: EventLoop, for handler: any ClientExchangeHandler) {
        self.route = route
        self.loop = loop
        self.handler = handler
        end = Self.now + route.patience.whole
    }

    /// Gives up, unless it is over.
    func cancel() { fail(.cancelled) }

    func drain() { fail(.cancelled) }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        guard case .under(let stage) = stage else { return }
        if stage == .connect, !addresses.isEmpty, Self.now < end { return tryNext(after: nil) }
        fail(.timedOut(stage))
    }

    func ready(_ readiness: Readiness, of watch: WatchID) {
        switch stage {
        case .under(.connect): connected()
        case .under(.handshake): shakeHands()
        case .under(.upgrade): exchange()
        case .under(.lookup), .done: break
        }
    }

    private static var now: Duration { .nanoseconds(Instant.now.nanoseconds) }

    private func finish() -> (any ClientExchangeHandler)? {
        stage = .done
        if let timer { loop.cancel(timer) }
        timer = nil
        return handler.take()
    }

    private func fail(_ failure: ClientFailure) {
        guard let handler = finish() else { return }
        // The loop may free this in here.
        withExtendedLifetime(self) {
            disconnect()
            handler.failed(failure)
        }
    }

    private func disconnect() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        transport = nil
    }

    private func setInterest(_ interest: Interest) {
        if let watch { loop.setInterest(interest, of: watch) }
    }

    private func begin(_ stage: ClientFailure.Stage, within limit: Duration) {
        self.stage = .under(stage)
        if let timer { loop.cancel(timer) }
        let rest = max(end - Self.now, .zero)
        timer = loop.schedule(after: Interval(min(limit, rest)), self)
    }

    private func lose() {
        if case .under(let stage) = stage { fail(.lost(stage)) }
    }
}

/// The steps from a name to a connection.
extension ClientExchange {
    func start() {
        let (host, port) = (route.url.host, route.url.port)
        begin(.lookup, within: route.patience.lookup)
        if let place = route.place { return found(.success([place])) }
        if let address = IPAddress(host) { return found(.success([.ip(address, port: port)])) }
        NameLookup.start(host, port: port, on: loop) { self.found($0) }
    }

    private func found(_ outcome: NameLookup.Outcome) {
        guard case .under(.lookup) = stage else { return }  // The lookup took too long.
        switch outcome {
        case .success(let addresses):
            self.addresses = addresses[...]
            tryNext(after: nil)
        case .failure(let failure):
            fail(.unknownName(route.url.host, failure))
        }
    }

    private func tryNext(after failure: ClientFailure?) {
        disconnect()
        guard let address = addresses.popFirst() else {
            return fail(failure ?? .timedOut(.connect))
        }
        // The address itself is judged, because a name may lead elsewhere than a moment ago.
        if let refusal = route.objection(address) { return tryNext(after: .forbidden(refusal)) }
        begin(.connect, within: route.patience.connect)
        do throws(SystemError) {
            let socket = try Socket.connect(to: address)
            peer = address
            watch = try loop.watch(socket, for: .writable, self)
            transport = Transport(plain: socket)
        } catch {
            tryNext(after: .unreachable(error))
        }
    }

    private func connected() {
        if let failure = transport?.connectFailure { return tryNext(after: .unreachable(failure)) }
        startHandshake()
    }
}

/// The steps from a connection to an answer.
extension ClientExchange {
    private func startHandshake() {
        guard route.url.isEncrypted else { return startRequest() }
        begin(.handshake, within: route.patience.handshake)
        guard let plain = transport.take() else { return fail(.lost(.handshake)) }
        do throws(TLSError) {
            transport = try plain.encrypted(to: route.url.host, route.context)
        } catch {
            return fail(.brokenHandshake(error))
        }
        shakeHands()
    }

    private func shakeHands() {
        switch transport?.clientHandshake() {
        case .done: startRequest()
        case .wantsRead: setInterest(.readable)
        case .wantsWrite: setInterest(.writable)
        case .failed(let error) where error.isCertificateRefusal: fail(.untrusted(error))
        case .failed(let error) where !error.isAbruptEnd: fail(.brokenHandshake(error))
        case .failed, .closed, nil: fail(.lost(.handshake))
        }
    }

    private func startRequest() {
        begin(.upgrade, within: route.patience.upgrade)
        output = handler?.request() ?? []
        exchange()
    }

    /// Writes the request and reads the answer.
    private func exchange() {
        while written < output.count {
            switch transport?.write(output, from: written) {
            case .bytes(let count): written += count
            case .wantsRead: return setInterest(.readable)
            case .wantsWrite: return setInterest(.writable)
            case .closed, .failed, nil: return lose()
            }
        }
        setInterest(.readable)
        var room = [4_096 of UInt8](repeating: 0)
        while true {
            var buffer = room.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                guard read(room.span.extracting(0..<count)) else { return }
            case .wantsRead, .wantsWrite: return
            case .closed, .failed, nil: return lose()
            }
        }
    }

    /// Returns whether to read on.
    private func read(_ input: Span<UInt8>) -> Bool {
        do throws(HTTP1AnswerReader.Broken) {
            guard let answer = try reader.read(input) else { return true }
            answered(answer)
        } catch {
            fail(.unreadableAnswer)
        }
        return false
    }

    private func answered(_ answer: HTTP1AnswerReader.Answer) {
        guard let transport = transport.take() else { return lose() }
        // The loop may free this with its watch.
        defer { withExtendedLifetime(self) {} }
        if let watch { loop.unwatch(watch) }
        watch = nil
        finish()?.answered(answer, over: transport, to: peer)
    }
}
