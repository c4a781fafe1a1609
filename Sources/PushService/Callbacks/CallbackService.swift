import Crypto
package import Delivery
package import Mailbox
import Outbound
package import System

/// Sends the events of registrations to their callbacks, on a loop of its own.
///
/// The store tells the service of events once they are committed, so an event only has to be
/// written to the store. Create and end the service on the same thread.
// Unchecked: mutable state is used only on the loop's thread, or while the loop does not run.
package final class CallbackService: @unchecked Sendable {
    /// The clocks, and the receiver of reports.
    package struct Surroundings: Sendable {
        package var now: @Sendable () -> StoreTime
        /// Seconds since 1970.
        package var wall: @Sendable () -> Double = { WallClock.now }
        package var report: CallbackTrouble.Report = { _ in }

        package init(clock: LastingClock) { now = { clock.now } }
    }

    private let store: any MessageStore
    private let group: LoopGroup
    private let loop: EventLoop
    private let dialogue: StoreDialogue
    private(set) var client: LoopClient
    /// Clients of earlier settings, as long as they have requests under way.
    private var formerClients: [LoopClient] = []
    private(set) var settings: CallbackSettings
    private let describe: @Sendable (Registration) -> String
    let surroundings: Surroundings
    let service: ServiceState
    var lanes = HostLanes()
    var couriers: [UInt32: Courier] = [:]
    private var laneTimer: TimerID?
    private var looks = WaitingLine<Courier>()
    private var looksUnderWay = 0
    var signer: WebhookSigner
    var forwards: ForwardSender
    var random = RandomSupply()

    /// The store's reading thread also serves connecting user agents. They wait for at most this
    /// many look-ups.
    private static let looksAtOnce = 16
    /// Milliseconds. Timers stop while the machine sleeps, so couriers check the clock this often.
    private static let longestWait: Int64 = 60_000
    /// Timer cookies that belong to no courier.
    private static let laneCookie = UInt64.max
    private static let startCookie = UInt64.max - 1

    /// `describe` gives the JSON parameters with which callbacks are told to call `registerDevice`.
    package init(
        for service: ServiceState, _ surroundings: Surroundings,
        describe: @escaping @Sendable (Registration) -> String
    ) throws {
        store = service.store
        self.service = service
        settings = service.settings.callbacks
        self.describe = describe
        self.surroundings = surroundings
        group = try LoopGroup(count: 1)
        loop = group.loops[0]
        dialogue = StoreDialogue(on: loop, store)
        client = try LoopClient(on: loop, settings.client)
        signer = try WebhookSigner()
        forwards = try ForwardSender(for: service)
        service.follow(on: loop) { [weak self] in self?.use($0.callbacks) }
    }

    /// Requests under way go on. A new client opens new connections, to whose addresses the new
    /// rules apply.
    private func use(_ settings: CallbackSettings) {
        self.settings = settings
        forwards.baseURL = service.settings.baseURL
        // Out of memory: idle connections stay, and new ones follow the new rules.
        guard let client = try? LoopClient(on: loop, settings.client) else { return }
        formerClients.append(self.client)
        self.client = client
        dropIdleClients()
    }

    /// Does not touch a client that may be calling.
    func dropIdleClients() {
        guard !formerClients.isEmpty else { return }
        loop.post { self.formerClients.removeAll(where: \.isIdle) }
    }

    package func start() throws {
        try group.start(name: "callbacks")
        store.index.callbacks.listen { [loop] news in
            loop.post { for (callback, news) in news { self.hear(news, of: callback) } }
        }
        loop.post { self.findWork() }
        store.remind(describe)
    }

    /// Requests under way are sent again after the next start, under the same ids.
    package func end() {
        store.index.callbacks.listen(nil)
        group.stop()
        _ = group.join()
        couriers = [:]
        for client in formerClients + [client] { client.close() }
        formerClients = []
        dialogue.forgetAll()
    }

    private func findWork() {
        dialogue.load(.callbacks) { [self] answer in
            guard case .callbacks(let rows) = answer else {
                _ = schedule(1_000, Self.startCookie)
                return
            }
            for row in rows { hear(.added, of: row) }
        }
    }

    private func hear(_ news: CallbackNews, of callback: UInt32) {
        if let courier = couriers[callback] {
            return perform(courier.outbox.hear(news), for: courier)
        }
        let courier = Courier(of: callback)
        couriers[callback] = courier
        perform(.look, for: courier)
    }

    /// Call it in a test that has moved the clock.
    func wakeAll() {
        loop.post {
            for courier in self.couriers.values { self.wake(courier) }
        }
    }

    private func wake(_ courier: Courier) {
        perform(courier.outbox.wake(at: surroundings.now()), for: courier)
    }
}

/// Carries out what the outboxes ask for.
extension CallbackService {
    func perform(_ action: Outbox.Action, for courier: Courier) {
        switch action {
        case .nothing: break
        case .look:
            looks.append(courier)
            look()
        case .ask:
            lanes.ask(courier.callback, host: courier.host)
            giveOutPlaces()
        case .attempt: attempt(courier)
        case .wait(let time): wait(until: time, courier)
        case .record(let record):
            // What time has ended is ended by the lead; the result of an attempt always counts.
            if !store.isLead, record.result == .lapsed || record.result == .dead {
                return perform(courier.outbox.failed(at: surroundings.now()), for: courier)
            }
            report(record)
            dialogue.submit(.callback(.record(record))) { [self] outcome in
                if outcome != .unavailable {
                    store.index.callbacks.takeBack(record.callback)
                }
                perform(
                    courier.outbox.recorded(
                        isTaken: outcome != .unavailable, at: surroundings.now()), for: courier)
            }
        case .rest:
            if let timer = courier.timer { loop.cancel(timer) }
            couriers[courier.callback] = nil
        }
    }

    private func look() {
        while looksUnderWay < Self.looksAtOnce, let courier = looks.popFirst() {
            looksUnderWay += 1
            dialogue.load(.callback(courier.callback)) { [self] answer in
                looksUnderWay -= 1
                loaded(answer, for: courier)
                look()
            }
        }
    }

    private func loaded(_ answer: LoadAnswer, for courier: Courier) {
        let now = surroundings.now()
        var action = Outbox.Action.nothing
        if case .callback(let record) = answer {
            action = courier.outbox.looked(record, at: now)
            courier.record = action == .attempt ? record : nil
            if action == .ask { courier.host = host(of: record) }
        } else {
            action = courier.outbox.failed(at: now)
        }
        if courier.hasPlace, action != .attempt { giveUpPlace(of: courier) }
        perform(action, for: courier)
    }

    /// Nothing is sent now.
    func giveUpPlace(of courier: Courier) {
        courier.hasPlace = false
        courier.record = nil
        store.index.callbacks.takeBack(courier.callback)
        lanes.giveBack(host: courier.host)
        giveOutPlaces()
    }

    /// A callback that may no longer be called gets the empty host, and fails when its turn comes.
    private func host(of record: CallbackRecord?) -> String {
        guard let callback = record?.callback else { return "" }
        let rights = CallbackRights(userID: callback.userID)
        return (try? settings.target(callback.url, for: rights))?.host ?? ""
    }

    func giveOutPlaces() {
        guard store.isLead else { return waitToLead() }
        while let callback = lanes.next(at: milliseconds) {
            guard let courier = couriers[callback] else { continue }
            guard store.index.callbacks.handOut(callback) else {
                lanes.giveBack(host: courier.host)
                perform(courier.outbox.putOff(at: surroundings.now()), for: courier)
                continue
            }
            courier.hasPlace = true
            perform(courier.outbox.placed(), for: courier)
        }
        if let time = lanes.nextTime, laneTimer == nil {
            laneTimer = schedule(max(1, time - milliseconds), Self.laneCookie)
        }
    }

    /// Another node sends, as long as it is there.
    private func waitToLead() {
        if laneTimer == nil { laneTimer = schedule(1_000, Self.laneCookie) }
    }

    private var milliseconds: Int64 { Instant.now.nanoseconds / 1_000_000 }

    private func wait(until time: StoreTime, _ courier: Courier) {
        if let timer = courier.timer { loop.cancel(timer) }
        let rest = time.milliseconds - surroundings.now().milliseconds
        courier.timer = schedule(
            min(max(rest, 1), Self.longestWait), UInt64(courier.callback))
    }

    private func schedule(_ milliseconds: Int64, _ cookie: UInt64) -> TimerID {
        loop.schedule(after: Interval(.milliseconds(milliseconds)), self, cookie: cookie)
    }

    private func report(_ record: AttemptRecord) {
        switch record.result {
        case .delivered, .postponed: break
        case .gone: surroundings.report(.gone(record.callback))
        case .lapsed: surroundings.report(.lapsed(record.callback))
        case .parked: surroundings.report(.parked(record.callback))
        case .dead: surroundings.report(.dead(record.callback))
        case .refused: surroundings.report(.refused(record.callback))
        }
    }
}

extension CallbackService: TimerHandler {
    package func timerFired(_ cookie: UInt64) {
        switch cookie {
        case Self.laneCookie:
            laneTimer = nil
            giveOutPlaces()
        case Self.startCookie: findWork()
        default:
            guard let courier = couriers[UInt32(truncatingIfNeeded: cookie)] else { return }
            courier.timer = nil
            wake(courier)
        }
    }
}
