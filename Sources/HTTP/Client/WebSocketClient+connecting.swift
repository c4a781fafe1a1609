import Base
import Reactor

/// From a name to a connection.
extension WebSocketClient {
    func lookUp() {
        let host = options.proxy?.host ?? options.url.host
        let port = options.proxy?.port ?? options.url.port
        begin(.lookup, within: options.patience.lookup)
        if let place = options.place { return found(.success([place])) }
        if let address = IPAddress(host) { return found(.success([.ip(address, port: port)])) }
        NameLookup.start(host, port: port, on: loop) { self.found($0) }
    }

    private func found(_ outcome: NameLookup.Outcome) {
        guard case .lookup = stage else { return }  // It took too long.
        switch outcome {
        case .success(let addresses):
            self.addresses = addresses[...]
            tryNext(after: nil)
        case .failure(let failure):
            fail(.unknownName(options.proxy?.host ?? options.url.host, failure))
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
        guard let proxy = options.proxy else { return startHandshake() }
        begin(.proxy, within: options.patience.proxy)
        send(proxy.request(to: options.url))
        exchange()
    }
}

extension HTTPProxy {
    /// Asks for a tunnel (RFC 9110 section 9.3.6); the port is always named.
    fileprivate func request(to url: WebSocketURL) -> [UInt8] {
        let name = url.host.contains(":") ? "[\(url.host)]" : url.host
        var text = "CONNECT \(name):\(url.port) HTTP/1.1\r\nHost: \(name):\(url.port)\r\n"
        if let authorization { text += "Proxy-Authorization: \(authorization)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
