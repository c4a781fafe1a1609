import Base
import HTTP
import Mailbox
import Notifications
import PushService
import System

/// A client of an engine on the control socket that sends one object per line. The first line names
/// the engine.
final class EngineLines: LineHandler, EngineClient {
    private let desk: EngineDesk
    private let caller: APICaller?
    private var id: EngineClientID?
    private var connection: LineConnection?
    private var isAsked = false
    /// Lines that arrived before the engine was found: at most one buffer.
    private var waiting: [[UInt8]] = []

    /// `caller` is nil for a client without access.
    init(_ desk: EngineDesk, _ caller: APICaller?) {
        self.desk = desk
        self.caller = caller
    }

    func opened(_ connection: LineConnection) {
        self.connection = connection
        if let caller { desk.sessions.enter(self, with: caller.pass) }
    }

    func received(line: Span<UInt8>, on connection: LineConnection) {
        let text = line.array(0..<line.count)
        if text.isEmpty || text == [UInt8(ascii: "\r")] { return }
        if let id { return desk.received(text, from: id) }
        guard isAsked else { return open(text) }
        waiting.append(text)
    }

    func closed(_ connection: LineConnection) {
        self.connection = nil
        if let caller { desk.sessions.leave(self, with: caller.pass) }
        if let id = id.take() { desk.leave(id) }
    }

    func say(_ objects: [[UInt8]]) { connection?.send(lines: objects) }

    func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

    func end() { connection?.close() }

    /// A program on this machine has no other node. It hears of everything later.
    func sendAway() {}

    private func open(_ text: [UInt8]) {
        isAsked = true
        guard !desk.service.index.setAside.contains(.command, text.span) else {
            return refuse(.setAside, nil)
        }
        Underway.mark(.command, text.span) { find(text) }
    }

    private func find(_ text: [UInt8]) {
        guard let caller else { return refuse(.notAllowed, nil) }
        guard let document = try? JSONDocument(text),
            document.root["@type"]?.text == "bellwire.open"
        else { return refuse(.badBody("the first line must be a bellwire.open"), nil) }
        let extra = document.root["@extra"]
        let role: EngineRole
        do throws(APIRefusal) {
            role = try EngineRole(
                role: document.root["role"].map { $0.text ?? "" },
                raw: document.root["raw"].map { String(decoding: $0.source, as: UTF8.self) })
        } catch { return refuse(error, extra) }
        setReading(false)
        desk.find(
            account: document.root["account"]?.text, app: document.root["app"]?.text, caller
        ) { [self] answer in
            guard connection != nil else { return }
            switch answer {
            case .failure(let refusal): refuse(refusal, extra)
            case .success(let engine):
                say([Outcome.ok.answer(extra: extra)])
                let id = desk.join(self, engine: engine, as: role, caller.pass)
                self.id = id
                setReading(true)
                for text in waiting { desk.received(text, from: id) }
                waiting = []
            }
        }
    }

    private func refuse(_ refusal: APIRefusal, _ extra: JSONNode?) {
        let error = Outcome.error(code: refusal.status, message: refusal.message)
        say([error.answer(extra: extra)])
        end()
    }
}

extension EngineLines: PassHolder {
    func passEnded() {
        say([EngineDesk.revoked.answer()])
        end()
        // Drops what the client has not read.
        connection?.cut()
    }
}
