package import Reactor

/// A listener of a running server, on one loop or on several. Any thread may use it.
// Unchecked: the parts are used only on the threads of their loops, or before those run.
package final class ServedListener: @unchecked Sendable {
    struct Part {
        let service: HTTPService
        let listener: Listener
    }

    /// The address, with the actual port.
    package let address: SocketAddress
    private let parts: [Part]

    init(_ parts: [Part]) {
        precondition(!parts.isEmpty, "a listener is on at least one loop")
        self.parts = parts
        address = parts[0].listener.address
    }

    /// If the loops run, they report it themselves when they cannot accept.
    func start(isRunning: Bool) throws(ReactorError) {
        guard isRunning else {
            for part in parts { try part.listener.start() }
            return
        }
        onEachLoop { part in
            do throws(ReactorError) {
                try part.listener.start()
            } catch {
                part.service.cannotAccept(error, by: part.listener)
            }
        }
    }

    /// Serves under new terms from now on, on open connections too.
    package func use(_ terms: HTTPListenerTerms) {
        onEachLoop { $0.service.terms = terms }
    }

    func setAccess(_ access: HTTPAccess.Report?) {
        onEachLoop { $0.service.access = access }
    }

    func close() {
        onEachLoop { part in
            part.service.terms.isClosed = true
            part.listener.stop()
        }
    }

    private func onEachLoop(_ body: @escaping @Sendable (Part) -> Void) {
        for (index, part) in parts.enumerated() {
            part.listener.loop.post { body(self.parts[index]) }
        }
    }
}
