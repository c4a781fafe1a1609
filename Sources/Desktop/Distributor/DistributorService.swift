import Bus
import System
import WebPush

/// The distributor on a bus: it passes calls and events to `Distributor` and performs its actions.
/// Only the thread of its loop uses it.
final class DistributorService: TimerHandler {
    private static let surveyInterval = Duration.seconds(86_400)
    /// The distributor's own deadlines are shorter.
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
    /// Called with each signal that an application has received.
    var fetched: (FetchCall) -> Void = { _ in }
    private var watches: [String: BusSubscription] = [:]
    private var exports: [BusSubscription] = []
    /// Calls whose callers are looked up one after the other, to keep their order.
    var intake: [BusCall] = []
    var isLookingUp = false
    /// The registration whose end could not be stored.
    var unforgotten: ClientKey?
    /// Delayed calls of programs that call too often.
    var parked: [UInt64: BusCall] = [:]
    var lastParked = Cookie.parked
    var isEnded = false
    private var isPerforming = false
    private var timer = DeadlineTimer()
    private var survey: TimerID?
    private var management: ManagementObject?

    enum Cookie {
        static let tick: UInt64 = 0
        static let survey: UInt64 = 1
        /// From here on, a timer cookie belongs to a delayed call.
        static let parked: UInt64 = 2
    }

    /// Loads stored registrations and exports the objects. Do this before requesting the name,
    /// because applications call as soon as they see it. Start the link after that.
    init(
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
        startSurvey()
    }

    /// Ends the service; no more calls are answered.
    func end() {
        isEnded = true
        exports = []
        watches = [:]
        timer.cancel(on: loop)
        if let survey { loop.cancel(survey) }
        survey = nil
    }

    /// Exports management under a bus name of its own, so that a bus policy can tell the two apart.
    /// Without that name the applications are served all the same.
    func offerManagement(_ done: @escaping () -> Void) {
        let log = log
        bus.requestName(ManagementObject.name) { claim in
            if case .success(.owned) = claim { return done() }
            log.write(.warning, "management-name-taken")
            done()
        }
    }

    var applications: [Application] { machine.applications }
    var receivers: [ReceiverState] { link.states }

    /// Passes an event or a change of the user to the distributor, and performs what follows.
    @discardableResult
    func update<Result>(
        _ event: (inout Distributor, Distributor.Moment) -> Result
    ) -> Result {
        let result = event(&machine, now)
        perform()
        return result
    }

    func timerFired(_ cookie: UInt64) {
        switch cookie {
        case Cookie.survey: startSurvey()
        case Cookie.tick: update { $0.tick(at: $1) }
        default:
            if let call = parked.removeValue(forKey: cookie), !isEnded { enqueue(call) }
        }
    }

    var now: Distributor.Moment {
        Distributor.Moment(boot: BootClock.now, wall: Int64(WallClock.now))
    }

    /// An action may lead to further actions.
    func perform() {
        guard !isPerforming, !isEnded else { return }
        isPerforming = true
        while true {
            let actions = machine.takeActions()
            if actions.isEmpty { break }
            for action in actions { perform(action) }
        }
        isPerforming = false
        let pause = machine.nextTick.map { $0 - BootClock.now }
        timer.set(after: pause, on: loop, self, cookie: Cookie.tick)
    }

    private func perform(_ action: DistributorAction) {
        switch action {
        case .answer(let id, let answer):
            registrations.removeValue(forKey: id)?.answer(answer)
        case .call(let id, let call):
            bus.call(call.message, timeout: Self.callTimeout) { [weak self] reply in
                if id != 0 { self?.update { $0.answered(id, ConnectorOutcome(reply), at: $1) } }
            }
        case .register(let channel, let key, let known):
            link.register(channel, key, known: known)
        case .unregister(let channel): link.unregister(channel)
        case .acknowledge(let channel, let id):
            link.finish(channel, message: id, isDelivered: true)
        case .reject(let channel, let id):
            link.finish(channel, message: id, isDelivered: false)
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
                unforgotten = key
                log.write(.error, "registration-not-removed")
            }
        case .watch(let name): watch(name)
        case .unwatch(let name): watches[name] = nil
        }
    }

    private func watch(_ name: String) {
        // This fails only on a closed connection, which is handled elsewhere.
        watches[name] = try? bus.watchOwner(of: name) { [weak self] _, owner in
            self?.changed(name, owner)
        }
        // Ask after the watch exists, so that no change is missed in between.
        bus.owner(of: name) { [weak self] reply in
            if case .success(let owner) = reply { self?.changed(name, owner) }
        }
    }

    private func changed(_ name: String, _ owner: String?) {
        update { $0.ownerChanged(of: name, to: owner, at: $1) }
    }

    /// Asks the bus which applications still exist.
    private func startSurvey() {
        survey = loop.schedule(
            after: Interval(Self.surveyInterval), self, cookie: Cookie.survey)
        let bus = bus
        bus.names { [weak self] names in
            guard case .success(let names) = names else { return }
            bus.activatableNames { activatable in
                guard case .success(let activatable) = activatable else { return }
                self?.update { $0.seen(Set(names).union(activatable), at: $1) }
            }
        }
    }
}

/// The distributor's view of the receivers.
///
/// Both sides run on one event loop. A channel stays registered until `unregister`, also after a
/// restart, a lost connection or a receiver that forgot everything; the distributor then only gets
/// a new endpoint. The link hands over the messages of a channel in the order of their
/// acceptance. When a certain number of them wait to be acknowledged or rejected, it keeps the
/// rest, so a sleeping application delays nobody.
protocol PushLink: AnyObject {
    /// What is known of the receivers.
    var states: [ReceiverState] { get }
    func register(_ channel: ChannelID, _ key: ApplicationKey?, known: String?)
    func unregister(_ channel: ChannelID)
    /// The application has the message, or will never take it.
    func finish(_ channel: ChannelID, message: String, isDelivered: Bool)
}
