import Base
package import Bus
import Crypto
package import Reactor
package import System
import WebPush

/// The distributor on a bus: carries calls and events to the machine, and out what it wants done.
/// Confined to the thread of its loop.
package final class DistributorService: PushLinkListener, TimerHandler {
    /// Calls of applications that wait for their turn.
    private static let intakeLimit = 1_000
    private static let surveyInterval = Duration.seconds(86_400)
    /// The machine has its own, shorter ideas of when an answer is late.
    private static let callTimeout = Duration.seconds(600)

    let bus: BusConnection
    private let loop: EventLoop
    private unowned let link: any PushLink
    private let store: any ClientStore
    private let log: Log
    private var machine = Distributor()
    private var registrations: [UInt64: BusCall] = [:]
    private var lastCall: UInt64 = 0
    private var watches: [String: BusSubscription] = [:]
    private var exports: [BusSubscription] = []
    /// Who asks is looked up on the bus, one after the other, so that order is kept.
    private var intake: [BusCall] = []
    private var isTaking = false
    /// Those of programs that call very often.
    private var parked: [UInt64: BusCall] = [:]
    private var lastParked = Cookie.parked
    private var isEnded = false
    private var isPerforming = false
    private var timer: TimerID?
    private var survey: TimerID?
    private var management: ManagementObject?

    private enum Cookie {
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

    private var now: Distributor.Moment {
        Distributor.Moment(boot: BootClock.now, wall: Int64(WallClock.now))
    }

    private func received(_ call: BusCall) {
        guard let delay = machine.delay(of: call.sender, at: now),
            intake.count + parked.count < Self.intakeLimit
        else { return refuse(call) }
        // The work is queued, and the second generation is told so at once.
        if call.member == "Unregister" { call.reply(call.version == .two ? [.options([])] : []) }
        guard delay > .zero else { return take(call) }
        lastParked += 1
        parked[lastParked] = call
        _ = loop.schedule(after: Interval(delay), self, cookie: lastParked)
    }

    private func take(_ call: BusCall) {
        intake.append(call)
        takeNext()
    }

    private func refuse(_ call: BusCall) {
        if call.member == "Register" {
            call.answer(.failed(.internal))
        } else {
            call.fail(BusErrorName.limitsExceeded, "too many calls")
        }
    }

    private func takeNext() {
        guard !isTaking, !intake.isEmpty else { return }
        isTaking = true
        let call = intake.removeFirst()
        SandboxLookup.sandbox(of: call.sender, on: bus) { [weak self] sandbox in
            guard let self else { return }
            if call.member == "Register" {
                register(call, sandbox)
            } else {
                unregister(call, sandbox)
            }
        }
    }

    private func taken() {
        perform()
        isTaking = false
        takeNext()
    }

    private func register(_ call: BusCall, _ sandbox: Sandbox) {
        let arguments =
            call.version == .one
            ? RegistrationArguments(call.arguments)
            : RegistrationArguments(options: call.arguments.first)
        guard let arguments, let channel = Self.newChannel() else {
            call.answer(.failed(.internal))
            return taken()
        }
        ServiceLookup.service(arguments.service, of: call.sender, sandbox, on: bus) {
            [weak self] service in
            guard let self else { return }
            defer { taken() }
            guard BusName.isUnique(service) || sandbox.allows(service) else {
                return call.answer(.failed(.unauthorized))
            }
            lastCall += 1
            registrations[lastCall] = call
            machine.register(
                RegistrationRequest(
                    key: ClientKey(sandbox: sandbox.identifier, token: arguments.token),
                    service: service, description: arguments.description,
                    applicationKey: arguments.applicationKey, version: arguments.version,
                    channel: channel), call: lastCall, at: now)
        }
    }

    private func unregister(_ call: BusCall, _ sandbox: Sandbox) {
        defer { taken() }
        let token =
            call.version == .one
            ? call.arguments.first?.text : call.arguments.first?.members?["token"]?.text
        // What is no token can be nobody's.
        guard let token, RegistrationArguments.isToken(token) else { return }
        machine.unregister(
            ClientKey(sandbox: sandbox.identifier, token: token), from: call.sender,
            version: call.version, at: now)
    }

    private static func newChannel() -> ChannelID? {
        guard let bytes = try? Random.bytes(count: 16) else { return nil }
        return Bits128(bytes.span).map { ChannelID($0) }
    }

    /// What is done may lead to more.
    private func perform() {
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
