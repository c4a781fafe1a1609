import Base
import Mailbox
import Notifications
import PushService
import System
import Topics
import WebPush

/// The clients of engines that are connected to one loop.
///
/// Their requests go to the store, which carries them out. Updates come back through `receive`, in the
/// order in which they were stored, and are serialized once for all clients of this loop. Confined
/// to its loop.
// Unchecked: it is touched by the thread of the loop alone.
final class EngineDesk: @unchecked Sendable {
    /// How often the store is told that clients are connected.
    private static let presenceInterval = Interval(.seconds(6 * 3_600))
    private static let noteCookie: UInt64 = 1 << 32

    struct Table {
        var clients: [UInt64: JoinedClient] = [:]
        var timer: TimerID?
        var presenceTimer: TimerID?
    }

    let service: ServiceState
    let loop: EventLoop
    let dialogue: StoreDialogue
    let sessions: SessionRegister
    @exclusivity(unchecked) var tables: [UInt32: Table] = [:]

    init(on loop: EventLoop, _ service: ServiceState) {
        self.loop = loop
        self.service = service
        sessions = service.sessions(on: loop)
        dialogue = StoreDialogue(on: loop, service.store)
    }

    private var index: EngineIndex { service.index.engines }

    /// Finds the engine of an account that the caller may use.
    func find(
        account: String?, app: String?, _ caller: APICaller,
        _ reply: @escaping (Result<UInt32, APIRefusal>) -> Void
    ) {
        guard let account, !account.isEmpty else {
            return reply(.failure(.badBody("account is missing")))
        }
        let owner = caller.isAdministrator ? nil : caller.owner
        dialogue.load(.engines(account: account, app: app, owner: owner)) { answer in
            guard case .engines(let found) = answer else { return reply(.failure(.unavailable)) }
            // An administrator's own accounts come first.
            let own = found.filter { $0.owner == caller.owner }
            let candidates = own.isEmpty ? found : own
            guard let first = candidates.first else { return reply(.failure(.unknown)) }
            reply(
                candidates.count == 1
                    ? .success(first.row)
                    : .failure(.badBody("several applications have this account; add app")))
        }
    }

    /// A client without a pass asks one question and leaves.
    func join(
        _ client: any EngineClient, engine: UInt32, as role: EngineRole, _ pass: Pass? = nil
    ) -> EngineClientID {
        let id = EngineClientID(engine: engine, number: index.nextClient())
        if tables[engine] == nil {
            index.listen(self, to: engine)
            tables[engine] = Table()
            setNoteTimer(engine)
        }
        if role.isFetcher { index.addFetcher(of: engine) }
        tables[engine]?.clients[id.number] = JoinedClient(
            client, role, pass, service.settings.enginePace, loop)
        if let pass { service.clients.screenCame(pass) }
        submitJoin(id, role)
        return id
    }

    func submitJoin(_ id: EngineClientID, _ role: EngineRole) {
        dialogue.submit(.engine(.join(id, role))) { [self] outcome in
            // The account may be gone; a client that returns later can find it again.
            if outcome != .done { tables[id.engine]?.clients[id.number]?.client.end() }
        }
    }

    func leave(_ id: EngineClientID) {
        guard let joined = tables[id.engine]?.clients.removeValue(forKey: id.number) else { return }
        if let pass = joined.pass { service.clients.screenLeft(pass) }
        if joined.role.isFetcher { index.removeFetcher(of: id.engine) }
        if tables[id.engine]?.clients.isEmpty == true { clear(id.engine) }
        // Other clients remain, which must get what this one has not taken.
        let isMissed =
            joined.role.isFetcher && !index.hasFetchers(id.engine) && index.hasListeners(id.engine)
        guard isMissed || joined.isFetching else { return }
        dialogue.submit(.engine(.leave(id, isFetching: joined.isFetching))) { _ in }
    }

    private func clear(_ engine: UInt32) {
        guard let table = tables.removeValue(forKey: engine) else { return }
        index.stopListening(self, to: engine, at: service.store.clock.now)
        for timer in [table.timer, table.presenceTimer].compactMap(\.self) { loop.cancel(timer) }
    }

    /// Breaks the reference cycles of waiting requests. Call it after the loop has ended.
    func forgetAll() {
        for (engine, table) in tables {
            for joined in table.clients.values where joined.role.isFetcher {
                index.removeFetcher(of: engine)
            }
            index.stopListening(self, to: engine, at: service.store.clock.now)
        }
        tables = [:]
        dialogue.forgetAll()
    }

    func received(_ text: [UInt8], from id: EngineClientID) {
        guard let joined = tables[id.engine]?.clients[id.number] else { return }
        guard !service.index.setAside.contains(.command, text.span) else {
            // The request may crash the parser, so it is not even parsed for its `@extra`.
            return joined.client.send([Self.setAside.answer()])
        }
        CrashMarker.mark(.command, text.span, subject: id.engine) { handle(text, from: id, joined) }
    }

    private func handle(_ text: [UInt8], from id: EngineClientID, _ joined: JoinedClient) {
        let request = try? JSONDocument(text).root
        let extra = request?["@extra"]
        if let request, press(request, text.count, from: id, joined) { return }
        switch request?["@type"]?.text {
        case "close":
            // Only this client ends; the engine goes on for the others.
            submit(.release(engine: id.engine), text.count, of: joined) { _ in
                joined.client.send([Outcome.ok.answer(extra: extra)])
                joined.client.end()
            }
        case "bellwire.signalTaken":
            let name = Array((request?["id"]?.text ?? "").utf8)
            guard let signal = MessageID(text: name.span) else {
                return joined.client.send([Self.noSignal.answer(extra: extra)])
            }
            let operation = EngineOperation.confirm(signal, device: nil, engine: id.engine)
            submit(operation, text.count, of: joined) { outcome in
                let answer = outcome == .done ? Outcome.ok : Self.unavailable
                joined.client.send([answer.answer(extra: extra)])
            }
        case let type:
            if type == "bellwire.setFetching" {
                joined.isFetching = request?["active"]?.bool ?? false
            }
            // The answer arrives together with the updates.
            submit(.request(id, text), text.count, of: joined) { outcome in
                guard outcome != .done else { return }
                joined.client.send([Self.unavailable.answer(extra: extra)])
            }
        }
    }

    private func submit(
        _ operation: EngineOperation, _ size: Int, of joined: JoinedClient,
        then: @escaping (StoreOutcome) -> Void
    ) {
        joined.begin(size)
        dialogue.submit(.engine(operation)) { outcome in
            joined.end(size)
            then(outcome)
        }
    }

    /// A button of a question goes to the store, which knows it. False for any other request.
    private func press(
        _ request: JSONNode, _ size: Int, from id: EngineClientID, _ joined: JoinedClient
    ) -> Bool {
        guard request["@type"]?.text == "bellwire.invokeNotificationAction",
            let button = QuestionButton(name: request["action"]?.text ?? ""),
            let presser = joined.pass.flatMap({ service.presser($0, at: .screen) })
        else { return false }
        let press = button.press(request["text"]?.text, by: presser)
        let operation = QuestionOperation.press(press, button.id, engine: id.engine)
        joined.begin(size)
        dialogue.submit(.registration(.question(operation))) { outcome in
            joined.end(size)
            var answer = Outcome.ok
            if case .failure(let refusal) = outcome.question {
                answer = .error(code: refusal.http, message: refusal.text)
            }
            joined.client.send([answer.answer(extra: request["@extra"])])
        }
        return true
    }

    /// The last message to a client whose pass has ended.
    static let revoked = Outcome.error(
        code: 401, message: "Unauthorized: the access of this client was revoked")

    private static let noSignal = Outcome.error(
        code: 400, message: "Identifier of the signal is invalid")

    private static let setAside = Outcome.error(
        code: 503,
        message: "The server crashed on this twice, and refuses it until its next update")
    private static let unavailable = Outcome.error(
        code: 503, message: "The store does not answer; try again later")
}

extension EngineDesk: TimerHandler {
    func timerFired(_ cookie: UInt64) {
        let engine = UInt32(truncatingIfNeeded: cookie)
        guard tables[engine] != nil else { return }
        if cookie & Self.noteCookie != 0 {
            dialogue.submit(.engine(.signOfLife(engine: engine))) { _ in }
            return setNoteTimer(engine)
        }
        tables[engine]?.timer = nil
        // If the store fails now, it does this once it works again.
        dialogue.submit(.engine(.advance(engine: engine))) { _ in }
    }

    private func setNoteTimer(_ engine: UInt32) {
        tables[engine]?.presenceTimer = loop.schedule(
            after: Self.presenceInterval, self, cookie: Self.noteCookie | UInt64(engine))
    }

    func setTimer(_ deadline: Double?, _ engine: UInt32) {
        if let timer = tables[engine]?.timer { loop.cancel(timer) }
        tables[engine]?.timer = nil
        guard let deadline else { return }
        let rest = min(max(deadline - service.now(), 0), 86_400)
        tables[engine]?.timer = loop.schedule(
            after: Interval(.milliseconds(Int64(rest * 1_000) + 1)), self, cookie: UInt64(engine))
    }
}
