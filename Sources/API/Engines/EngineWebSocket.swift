import Base
import HTTP
import Mailbox
import PushService

/// A client of an engine on a WebSocket: one object per message.
final class EngineWebSocket: WebSocketHandler, EngineClient {
    private let desk: EngineDesk
    private let engine: UInt32
    private let role: EngineRole
    private let pass: Pass
    private var id: EngineClientID?
    private var connection: WebSocketConnection?

    init(_ desk: EngineDesk, engine: UInt32, as role: EngineRole, _ pass: Pass) {
        self.desk = desk
        self.engine = engine
        self.role = role
        self.pass = pass
    }

    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        self.connection = connection
        desk.sessions.enter(self, with: pass)
        id = desk.join(self, engine: engine, as: role, pass)
    }

    func received(text: Span<UInt8>, on connection: WebSocketConnection) {
        guard let id else { return }
        desk.received(text.array(0..<text.count), from: id)
    }

    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) {
        self.connection = nil
        desk.sessions.leave(self, with: pass)
        leave()
    }

    private func leave() {
        if let id = id.take() { desk.leave(id) }
    }

    func say(_ objects: [[UInt8]]) {
        guard let connection else { return }
        for object in objects { connection.send(text: object.span) }
    }

    func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

    func end() { connection?.close() }

    func sendAway() { connection?.close(.goingAway) }
}

extension EngineWebSocket: PassHolder {
    func passEnded() {
        say([EngineDesk.revoked.answer()])
        end()
        leave()
    }
}
