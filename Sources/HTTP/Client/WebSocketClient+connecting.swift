import Base
import Reactor

/// From the name to a connection.
extension WebSocketClient {
    func lookUp() {
        let (host, port) = (options.url.host, options.url.port)
        begin(.lookup, within: options.patience.lookup)
        if let place = options.place { return found(.success([place])) }
        if let address = IPAddress(host) { return found(.success([.ip(address, port: port)])) }
        NameLookup.start(host, port: port, on: loop) { self.found($0) }
    }

    private func found(_ outcome: NameLookup.Outcome) {
        guard case .lookup = stage else { return }  // The lookup took too long.
        switch outcome {
        case .success(let addresses):
            self.addresses = addresses[...]
            tryNext(after: nil)
        case .failure(let failure):
            fail(.unknownName(options.url.host, failure))
        }
    }

    func tryNext(after failure: ReactorError?) {
        disconnect()
        guard let address = addresses.popFirst() else {
            return fail(failure.map { .unreachable($0) } ?? .timedOut(.connect))
        }
        begin(.connect, within: options.patience.connect)
        do throws(ReactorError) {
            let socket = try Socket.connect(to: address)
            peer = address
            watch = try loop.watch(socket, for: .writable, self)
            transport = Transport(plain: socket)
        } catch {
            tryNext(after: error)
        }
    }

    func connected() {
        if let failure = transport?.connectFailure { return tryNext(after: failure) }
        startHandshake()
    }
}
