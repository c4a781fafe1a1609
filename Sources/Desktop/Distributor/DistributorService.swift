package import Bus
package import Reactor
package import System
import WebPush

/// The distributor on a bus: carries calls and events to the machine, and out what it wants done.
/// Confined to the thread of its loop.
package final class DistributorService: PushLinkListener, TimerHandler {
    private static let surveyInterval = Duration.seconds(86_400)
    /// The machine has its own, shorter ideas of when an answer is late.
    private static let callTimeout = Duration.seconds(600)

    let bus: BusConnection
    let loop: EventLoop
    let sandboxes: SandboxLookup
    private unowned let link: any PushLink
    private let store: any ClientStore
    private let log: Log
    var machine = Distributor()
    var registrations: [UInt64: BusCall] = [:]
    var lastCall: UInt64 = 0
    /// Takes the signals that applications have heard.
    var fetched: (FetchSignal) -> Void = { _ in }
    private var watches: [String: BusSubscription] = [:]
    private var exports: [BusSubscription] = []
    /// Who asks is looked up on the bus, one after the other, so that order is kept.
    var intake: [BusCall] = []
    var isTaking = false
    /// Those of programs that call very often.
    var parked: [UInt64: BusCall] = [:]
    var lastParked = Cookie.parked
    var isEnded = false
    private var isPerforming = false
    private var timer: TimerID?
    private var survey: TimerID?
    private var management: ManagementObject?

    enum Cookie {
        static let tick: UInt64 = 0
        static let survey: UInt64 = 1
        /// From here on each is a call that waits for its turn.
        static let parked: UInt64 = 2
    }

    /// Takes up what is stored and exports the objects: before the name is requested, because
    /// applications call as soon as they see it. Then the link may start.
    package init(
        on bus: BusConnection, link: any PushLink, store: any ClientStore, loop: EventLoop,
        log: Log
    ) throws {
        self.bus = bus
        self.link = link
        self.store = store
        self.loop = loop
        sandboxes = SandboxLookup(on: loop)
        self.log = log
        machine.load(try store.clients())
        let object = DistributorObject { [weak self] in self?.received($0) }
        let management = ManagementObject(self)
        exports = [
            try bus.export(object, at: DistributorObject.path),
            try bus.export(management, at: ManagementObject.path),
        ]
        self.management = management
        perform()
        takeSurvey()
    }

    /// Nothing is answered any more.
    package func end() {
        isEnded = true
        exports = []
        watches = [:]
        if let timer { loop.cancel(timer) }
        if let survey { loop.cancel(survey) }
        (timer, survey) = (nil, nil)
    }

    /// Under a name of its own, so that a policy of the bus can tell them apart. Without it the
    /// applications are served all the same.
    package func offerManagement(_ done: @escaping () -> Void) {
        let log = log
        bus.requestName(ManagementObject.name) { claim in
            if case .success(.owned) = claim { return done() }
            log.write(.warning, "management-name-taken")
            done()
        }
    }

    package var applications: [Application] { machine.applications }

    /// Changes what people may change; false if there is no such application.
    func manage(_ body: (inout Distributor, Distributor.Moment) -> Bool) -> Bool {
        let isDone = body(&machine, now)
        perform()
        return isDone
    }

    package func heard(_ event: LinkEvent) {
        machine.heard(event, at: now)
        perform()
    }

    package func timerFired(_ cookie: UInt64) {
        switch cookie {
        case Cookie.survey: takeSurvey()
        case Cookie.tick:
            timer = nil
            machine.tick(at: now)
            perform()
        default:
            if let call = parked.removeValue(forKey: cookie), !isEnded { take(call) }
        }
    }

    var now: Distributor.Moment {
        Distributor.Moment(boot: BootClock.now, wall: Int64(WallClock.now))
    }

    /// What is done may lead to more.
    func perform() {
        guard !isPerforming, !isEnded else { return }
        isPerforming = true
        while true {
            let actions = machine.takeActions()
            if actions.isEmpty { break }
            for action in actions { perform(action) }
        }
        isPerforming = false
        setTimer()
    }

    private func perform(_ action: DistributorAction) {
        switch action {
        case .answer(let id, let answer):
            registrations.removeValue(forKey: id)?.answer(answer)
        case .call(let id, let call):
            bus.call(call.message, timeout: Self.callTimeout) { [weak self] reply in
                guard let self, id != 0 else { return }
                machine.answered(id, ConnectorOutcome(reply), at: now)
                perform()
            }
        case .link(let request): link.perform(request)
        case .fetched(let signal): fetched(signal)
        case .save(let record):
            do {
                try store.save(record)
            } catch {
                log.write(.error, "registration-not-saved", [("application", record.service)])
                machine.saveFailed(record.key)
            }
        case .forget(let key):
            do {
                try store.remove(key)
            } catch {
                log.write(.error, "registration-not-removed")
            }
        case .watch(let name): watch(name)
        case .unwatch(let name): watches[name] = nil
        }
    }

    private func watch(_ name: String) {
        // It fails only on a connection that has ended, and that is told elsewhere.
        watches[name] = try? bus.watchOwner(of: name) { [weak self] _, owner in
            self?.changed(name, owner)
        }
        // Asked after that, so that no change comes in between.
        bus.owner(of: name) { [weak self] reply in
            if case .success(let owner) = reply { self?.changed(name, owner) }
        }
    }

    private func changed(_ name: String, _ owner: String?) {
        machine.ownerChanged(of: name, to: owner, at: now)
        perform()
    }

    private func setTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
        guard let next = machine.nextTick else { return }
        let pause = max(next - BootClock.now, .zero)
        timer = loop.schedule(after: Interval(pause), self, cookie: Cookie.tick)
    }

    private func noteSeen(_ names: Set<String>) {
        machine.seen(names, at: now)
        perform()
    }

    /// Which applications there still are. Asked anew each time: they come and go.
    private func takeSurvey() {
        survey = loop.schedule(
            after: Interval(Self.surveyInterval), self, cookie: Cookie.survey)
        let bus = bus
        bus.names { [weak self] names in
            guard case .success(let names) = names else { return }
            bus.activatableNames { activatable in
                guard case .success(let activatable) = activatable else { return }
                self?.noteSeen(Set(names).union(activatable))
            }
        }
    }
}
