package import System

/// What becomes of a `ReconnectingWebSocket`. All calls come on its loop.
package protocol ReconnectingWebSocketHandler: AnyObject {
    func opened()
    func received(text: Span<UInt8>)
    /// It has ended, or could not be opened. The handler decides when to connect again.
    func lost(_ loss: WebSocketLoss)
}

package enum WebSocketLoss {
    case ended(WebSocketEnd)
    case failed(ClientFailure)

    /// At most one failure per minute that needs the user's action is logged.
    private static let refusalPause = Duration.seconds(60)

    /// How long to wait at least before the next attempt.
    package var pause: Duration {
        switch self {
        case .failed(.refused(let status, let retryAfter)):
            retryAfter ?? (status < 500 ? Self.refusalPause : .zero)
        case .failed(.untrusted): Self.refusalPause
        case .failed, .ended: .zero
        }
    }
}

/// A client's WebSocket to one place, which can be opened again when it has ended.
///
/// There is one at a time: events of an abandoned one are ignored. Only the thread of the loop uses
/// it.
package final class ReconnectingWebSocket {
    private let options: WebSocketClientOptions
    private let loop: EventLoop
    private weak var handler: (any ReconnectingWebSocketHandler)?
    private var attempt: Attempt?

    package init(_ options: WebSocketClientOptions, on loop: EventLoop) {
        self.options = options
        self.loop = loop
    }

    /// Nil while it is not open.
    package var connection: WebSocketConnection? { attempt?.connection }

    /// Does nothing while there is a WebSocket or an attempt to open one.
    package func connect(_ handler: any ReconnectingWebSocketHandler) {
        guard attempt == nil else { return }
        self.handler = handler
        let attempt = Attempt(self)
        self.attempt = attempt
        attempt.client = WebSocketClient.connect(options, on: loop, attempt)
    }

    /// Abandons the WebSocket; the handler hears no more of it.
    package func disconnect() {
        let former = attempt.take()
        former?.connection?.close(.goingAway)
        former?.client?.cancel()
    }

    private func lose(_ loss: WebSocketLoss) {
        attempt = nil
        handler?.lost(loss)
    }

    /// One WebSocket and the attempt to open it.
    private final class Attempt: WebSocketClientHandler {
        private let owner: ReconnectingWebSocket
        var client: WebSocketClient?
        private(set) var connection: WebSocketConnection?

        init(_ owner: ReconnectingWebSocket) { self.owner = owner }

        private var isCurrent: Bool { owner.attempt === self }

        func opened(_ connection: WebSocketConnection, subprotocol: String?) {
            client = nil
            guard isCurrent else { return connection.close(.goingAway) }
            self.connection = connection
            owner.handler?.opened()
        }

        func received(text: Span<UInt8>, on connection: WebSocketConnection) {
            if isCurrent { owner.handler?.received(text: text) }
        }

        func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
            self.connection = nil
            if isCurrent { owner.lose(.ended(end)) }
        }

        func failed(_ failure: ClientFailure) {
            client = nil
            if isCurrent { owner.lose(.failed(failure)) }
        }
    }
}
