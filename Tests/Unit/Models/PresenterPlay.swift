import Base
package import DeliveryModel
import Desktop
import Notifications

/// The presenter between an engine, a notification server and a user.
package struct PresenterPlay: Play {
    package enum Event: Sendable {
        case add(group: Int)
        /// The engine takes back its newest notification, or its oldest.
        case remove(newest: Bool)
        case edit
        /// The engine sends everything again.
        case active
        case close(reason: UInt32)
        case invoke
        case serverAppears
        case serverVanishes
        /// The server shows what waits, and answers.
        case answer
        case fail
        /// `isDelivered`: the call under way reached the server.
        case desktopDies(isDelivered: Bool)
        case pass(milliseconds: Int64)
        case passToDeadline
    }

    package static let name = "presenter"
    package static let alphabet: [Event] = [
        .add(group: 1), .remove(newest: true), .edit, .serverAppears, .answer, .close(reason: 2),
        .desktopDies(isDelivered: true), .desktopDies(isDelivered: false), .passToDeadline,
    ]

    package static func draw(_ dice: inout Dice) -> Event {
        switch dice.roll(40) {
        case 0..<8: .add(group: 1 + dice.roll(2))
        case 8..<12: .remove(newest: dice.hits(2))
        case 12..<14: .edit
        case 14: .active
        case 15..<17: .close(reason: UInt32(1 + dice.roll(3)))
        case 17: .invoke
        case 18..<20: .serverAppears
        case 20: .serverVanishes
        case 21..<32: .answer
        case 32: .fail
        case 33: .desktopDies(isDelivered: dice.hits(2))
        case 34..<36: .pass(milliseconds: [1, 400, 3_000, 90_000][dice.roll(4)])
        default: .passToDeadline
        }
    }

    static let source = {
        var source = PresentedSource(id: "a", name: "A", desktopEntry: "a", service: "a")
        source.tag = "a"
        return source
    }()

    var presenter = Presenter([source], freshKey: { "key" })
    var hall = PresenterHall()
    private var now = Duration.seconds(1_000)
    private var servers: UInt64 = 0
    package var finding: String?

    package init() {}

    mutating func fail(_ text: String) { finding = finding ?? text }

    package mutating func happen(_ event: Event) {
        switch event {
        case .add(let group): add(group)
        case .remove(let newest): remove(newest)
        case .edit: edit()
        case .active: sendAll()
        case .close(let reason): close(reason)
        case .invoke: invoke()
        case .serverAppears: if hall.identity == nil { serverAppears() }
        case .serverVanishes:
            guard hall.identity != nil else { break }
            hall.loseServer()
            handle(.serverVanished)
        case .answer: answer()
        case .fail:
            // A server that refuses to replace what a killed process showed leaves nothing to close.
            guard let call = hall.call, call.number == nil, hall.mayRefuse(call) else { break }
            hall.call = nil
            hall.excuse(call)
            handle(.notifyFailed(ticket: call.ticket, .refused))
        case .desktopDies(let isDelivered): succeed(isDelivered)
        case .pass(let milliseconds):
            now += .milliseconds(milliseconds)
            handle(.elapsed)
        case .passToDeadline:
            guard let deadline = presenter.deadline(at: now) else { break }
            now = max(now, deadline)
            handle(.elapsed)
        }
    }

    private mutating func handle(_ event: PresenterEvent) {
        for action in presenter.handle(event, at: now) { perform(action) }
    }

    private mutating func receive(_ json: String) {
        guard let root = try? JSONDocument(Array(json.utf8)).root,
            let update = EngineMessage(root)?.update
        else { return fail("an update is not understood") }
        handle(.update(source: Self.source.id, update))
    }

    private mutating func add(_ group: Int) {
        guard hall.alive.count < 6 else { return }
        let note = hall.make(group)
        receive(PresenterHall.change(group, added: [note]))
    }

    private mutating func remove(_ newest: Bool) {
        guard let note = newest ? hall.alive.last : hall.alive.first else { return }
        hall.alive.removeAll { $0.id == note.id }
        receive(PresenterHall.change(note.group, removed: [note.id]))
    }

    private mutating func edit() {
        guard var note = hall.alive.last else { return }
        note.version += 1
        hall.alive[hall.alive.count - 1] = note
        receive(PresenterHall.edit(note))
    }

    mutating func sendAll() { receive(PresenterHall.active(hall.alive)) }

    private mutating func close(_ reason: UInt32) {
        answerDelivered()
        guard let id = hall.visible.keys.min(), let identity = hall.identity else { return }
        let note = hall.visible.removeValue(forKey: id)
        // The user closed it (reason 2); the others are the server's and our own doing.
        if reason == 2, let note { hall.dismiss(note) }
        handle(.notificationClosed(id: id, reason: reason, sender: identity.owner))
    }

    /// The server's messages keep their order: the answer is before what happens then.
    private mutating func answerDelivered() {
        if hall.call?.number != nil { answer() }
    }

    private mutating func invoke() {
        answerDelivered()
        guard let id = hall.visible.keys.min(), let identity = hall.identity else { return }
        if let note = hall.visible[id] { hall.dismiss(note) }
        handle(.actionInvoked(id: id, key: "default", sender: identity.owner))
    }

    mutating func serverAppears() {
        servers += 1
        let identity = ServerIdentity(owner: ":1.\(servers)", processStart: servers)
        hall.identity = identity
        appear(identity)
    }

    private mutating func appear(_ identity: ServerIdentity) {
        handle(
            .serverAppeared(
                NotificationServer(
                    identity: identity, name: "server", vendor: "", specVersion: "1.2",
                    capabilities: ["actions", "body", "x-canonical-private-synchronous"])))
    }

    mutating func answer() {
        guard let call = hall.call else { return }
        hall.call = nil
        let id = call.number ?? hall.show(call)
        handle(.notified(ticket: call.ticket, id: id))
    }

    /// Another process takes over with what was stored.
    private mutating func succeed(_ isDelivered: Bool) {
        hall.kills += 1
        if isDelivered { hall.deliver() }
        hall.call = nil
        presenter = Presenter(
            [Self.source], history: hall.history, freshKey: { "key" })
        if let identity = hall.identity { appear(identity) }
        sendAll()
    }

    private mutating func perform(_ action: PresenterAction) {
        switch action {
        case .keep(let record): hall.keep(record)
        case .forget(let key): hall.records[key] = nil
        case .notify(let ticket, let call): notified(ticket, call)
        case .close(let key, let id):
            // It arrives after the calls before it.
            hall.deliver()
            hall.visible[id] = nil
            handle(.closed(key))
        case .request(_, .remove(_, let notification)): taken(Int(notification))
        case .request(_, .act(_, let notification, _, _, _)): taken(Int(notification))
        default: break
        }
    }

    /// The engine does what the user wants, and says so.
    private mutating func taken(_ id: Int) {
        guard hall.dismissed.contains(id) else {
            return fail("the engine is asked for what the user did not want")
        }
        hall.wanted.append(id)
    }

    /// The engine carries out what the user asked for.
    mutating func confirm() {
        let wanted = hall.wanted
        hall.wanted = []
        for id in wanted {
            guard let note = hall.alive.first(where: { $0.id == id }) else { continue }
            hall.alive.removeAll { $0.id == id }
            receive(PresenterHall.change(note.group, removed: [note.id]))
        }
    }
}
