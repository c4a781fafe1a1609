import Reactor

/// The PROXY header at the start of a connection.
extension HTTPConnection {
    /// Returns whether reading can continue. A listener that expects a header serves no connection
    /// without one: otherwise anyone could claim any address.
    func readProxyHeader() -> Bool {
        let scratch = service.scratch
        var buffer = scratch.mutableSpan
        switch transport?.peek(into: &buffer) {
        case .bytes(let count):
            let seen = scratch.span.extracting(0..<count)
            guard let (taken, progress) = proxyHeader?.next(seen) else { return true }
            transport?.skip(taken, scratch)
            return take(progress)
        case .wantsRead, .wantsWrite: return false
        case .closed, .failed, nil:
            close()
            return false
        }
    }

    private func take(_ progress: ProxyHeader.Progress) -> Bool {
        switch progress {
        case .needsMore: return false
        case .malformed:
            close()
            return false
        case .client(let client):
            if let client { peer = client }
            proxyHeader = nil
            if !isEncrypted { speak(HTTP1Server(on: self)) }
            return true
        }
    }
}
