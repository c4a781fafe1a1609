import Base
import HTTP
import Mailbox
import Notifications
import PushService
import System

/// Opens the WebSocket of an engine to clients that may use it.
struct EngineAdmission {
    /// The largest message of a client. A client that owns the real data may send much of it at
    /// once.
    private static let messageLimit = 1 << 20
    private static let silence = Duration.seconds(240)
    private static let silenceBehindProxy = Duration.seconds(55)
    /// How long a client that is told to leave may keep the connection open.
    private static let closePatience = Duration.milliseconds(500)
    /// A client that leaves this much unread is disconnected, and starts over when it is back.
    private static let outputLimit = 2 << 20

    private let desk: EngineDesk

    init(_ desk: EngineDesk) { self.desk = desk }

    private var terms: WebSocketTerms {
        let isBehindProxy = desk.service.settings.isBehindProxy
        return WebSocketTerms(
            session: WebSocketSession.Limits(
                messageLimit: Self.messageLimit,
                silence: isBehindProxy ? Self.silenceBehindProxy : Self.silence,
                closePatience: Self.closePatience),
            outputLimit: Self.outputLimit)
    }

    /// Reads `app`, `account`, `role` and `raw` from the query.
    func admit(_ exchange: HTTPExchange, _ caller: APICaller) {
        let query = exchange.head.query.map { QueryItems(exchange.head.text($0)) }
        let role: EngineRole
        do throws(APIRefusal) {
            role = try EngineRole(role: query?["role"], raw: query?["raw"])
        } catch { return exchange.respond(.failure(error), desk.service) }
        desk.find(account: query?["account"], app: query?["app"], caller) { [desk, terms] answer in
            switch answer {
            case .failure(let refusal): exchange.respond(.failure(refusal), desk.service)
            case .success(let engine):
                // The caller may have lost its access while the store was asked.
                if let objection = desk.service.objection(to: caller) {
                    return exchange.respond(.failure(objection), desk.service)
                }
                exchange.upgrade(
                    terms, to: EngineWebSocket(desk, engine: engine, as: role, caller.pass))
            }
        }
    }
}

extension EngineRole {
    /// Parses the words of clients: `fetcher` or `viewer`, and `true` or `false`.
    init(role: String?, raw: String?) throws(APIRefusal) {
        self.init()
        switch role {
        case nil, "fetcher": isFetcher = true
        case "viewer": isFetcher = false
        default: throw .badBody("role must be fetcher or viewer")
        }
        switch raw {
        case nil: takesRaw = nil
        case "true": takesRaw = true
        case "false": takesRaw = false
        default: throw .badBody("raw must be true or false")
        }
        guard isFetcher || takesRaw != true else {
            throw .badBody("only fetchers can have raw payloads")
        }
    }
}

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

    func send(_ objects: [[UInt8]]) {
        guard let connection else { return }
        for object in objects { connection.send(text: object.span) }
    }

    func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

    func end() { connection?.close() }

    func sendAway() { connection?.close(.goingAway) }
}

extension EngineWebSocket: PassHolder {
    func passEnded() {
        send([EngineDesk.revoked.answer()])
        end()
        leave()
    }
}

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

    func send(_ objects: [[UInt8]]) { connection?.send(lines: objects) }

    func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

    func end() { connection?.close() }

    /// A program on this machine has no other node. It hears of everything later.
    func sendAway() {}

    private func open(_ text: [UInt8]) {
        isAsked = true
        guard !desk.service.index.setAside.contains(.command, text.span) else {
            return refuse(.setAside, nil)
        }
        CrashMarker.mark(.command, text.span) { find(text) }
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
                send([Outcome.ok.answer(extra: extra)])
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
        send([error.answer(extra: extra)])
        end()
    }
}

extension EngineLines: PassHolder {
    func passEnded() {
        send([EngineDesk.revoked.answer()])
        end()
        // Drops what the client has not read.
        connection?.cut()
    }
}
