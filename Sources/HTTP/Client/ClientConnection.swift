import Base
import Crypto
import System

/// Gets what a `ClientConnection` reads, or why it ended.
protocol ClientConnectionHandler: AnyObject {
    /// Returns whether to read on.
    func received(_ input: Span<UInt8>, over connection: ClientConnection) -> Bool
    /// Nothing else comes then.
    func failed(_ failure: ClientFailure)
}

/// Connects to a server and sends it a request: resolves the name, connects, shakes hands, writes.
///
/// The loop keeps it alive while it works. Everything runs on the thread of the loop.
// Unchecked: it is used only on the thread of the loop; the name lookup also calls back there.
final class ClientConnection: EventHandler, TimerHandler, @unchecked Sendable {
    private typealias Stage = ClientFailure.Stage

    private let route: ClientRoute
    private let loop: EventLoop
    private let request: [UInt8]
    private var handler: (any ClientConnectionHandler)?
    private var stage = Stage.lookup
    /// The addresses that are left to try.
    private var addresses: ArraySlice<SocketAddress> = []
    private(set) var peer = SocketAddress.unix(path: "")
    private var transport: Transport?
    private var watch: WatchID?
    private var timer: TimerID?
    private var written = 0
    /// When all of it is over, by the loop's clock.
    private let deadline: Duration

    init(
        _ route: ClientRoute, on loop: EventLoop, sending request: [UInt8],
        _ handler: any ClientConnectionHandler
    ) {
        (self.route, self.loop, self.request, self.handler) = (route, loop, request, handler)
        deadline = Self.now + route.patience.whole
    }

    private static var now: Duration { .nanoseconds(Instant.now.nanoseconds) }

    /// Call it on the thread of the loop, or before that runs.
    func start() { lookUp() }

    func cancel() { fail(.cancelled) }

    func drain() { fail(.cancelled) }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        if stage == .connect, !addresses.isEmpty, Self.now < deadline { return tryNext(after: nil) }
        fail(.timedOut(stage))
    }

    func ready(_ readiness: Readiness, of watch: WatchID) {
        guard handler != nil else { return }
        // The loop may free this in here.
        withExtendedLifetime(self) {
            switch stage {
            case .connect: connected()
            case .upgrade: exchange()
            case .handshake: shakeHands()
            case .lookup: break
            }
        }
    }

    func fail(_ failure: ClientFailure) {
        guard let handler = end() else { return }
        withExtendedLifetime(self) {
            disconnect()
            handler.failed(failure)
        }
    }

    /// Hands over what it has opened, and ends; nil if that was over.
    func release() -> Transport? {
        defer { withExtendedLifetime(self) {} }
        guard end() != nil else { return nil }
        if let watch { loop.unwatch(watch) }
        watch = nil
        return transport.take()
    }

    private func end() -> (any ClientConnectionHandler)? {
        if let timer { loop.cancel(timer) }
        timer = nil
        return handler.take()
    }

    private func disconnect() {
        if let watch { loop.unwatch(watch) }
        watch = nil
        transport = nil
    }

    private func setInterest(_ interest: Interest) {
        if let watch { loop.setInterest(interest, of: watch) }
    }

    private func begin(_ stage: Stage, within limit: Duration) {
        self.stage = stage
        if let timer { loop.cancel(timer) }
        let rest = max(deadline - Self.now, .zero)
        timer = loop.schedule(after: Interval(min(limit, rest)), self)
    }
}

/// From a name to a connection.
extension ClientConnection {
    private func lookUp() {
        let (host, port) = (route.url.host, route.url.port)
        begin(.lookup, within: route.patience.lookup)
        if let place = route.place { return found(.success([place])) }
        if let address = IPAddress(host) { return found(.success([.ip(address, port: port)])) }
        NameLookup.start(host, port: port, on: loop) { self.found($0) }
    }

    private func found(_ outcome: NameLookup.Outcome) {
        // The lookup may have taken too long.
        guard handler != nil, stage == .lookup else { return }
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
        guard route.url.isEncrypted else { return startExchange() }
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
        case .done: startExchange()
        case .wantsRead: setInterest(.readable)
        case .wantsWrite: setInterest(.writable)
        case .failed(let error) where error.isCertificateRefusal: fail(.untrusted(error))
        case .failed(let error) where !error.isAbruptEnd: fail(.brokenHandshake(error))
        case .failed, .closed, nil: fail(.lost(.handshake))
        }
    }
}

/// The request and what comes back.
extension ClientConnection {
    private func startExchange() {
        begin(.upgrade, within: route.patience.upgrade)
        exchange()
    }

    private func exchange() {
        while written < request.count {
            switch transport?.write(request, from: written) {
            case .bytes(let count): written += count
            case .wantsRead: return setInterest(.readable)
            case .wantsWrite: return setInterest(.writable)
            case .closed, .failed, nil: return fail(.lost(stage))
            }
        }
        setInterest(.readable)
        var room = [4_096 of UInt8](repeating: 0)
        while let handler {
            var buffer = room.mutableSpan
            switch transport?.read(into: &buffer) {
            case .bytes(let count):
                guard handler.received(room.span.extracting(0..<count), over: self) else { return }
            case .wantsRead, .wantsWrite: return
            case .closed, .failed, nil: return fail(.lost(stage))
            }
        }
    }
}
