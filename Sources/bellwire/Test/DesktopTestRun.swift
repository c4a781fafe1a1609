import Base
import Bus
import Crypto
import Desktop
import System

/// Performs the actions of a `DesktopTest` as an application without a bus name.
final class DesktopTestRun {
    private static let patience = Duration.seconds(10)
    private static let path = "/org/unifiedpush/Connector"
    private static let distributor = "/org/unifiedpush/Distributor"
    private static let interface = "org.unifiedpush.Distributor2"

    private let loop: EventLoop
    private let sender: TestSender
    private let token: String
    private let report: (HopResult) -> Void
    private var test = DesktopTest()
    private var reported = 0
    private var bus: BusConnection?
    private var exported: BusSubscription?
    private var service = ""
    private var timer: TimerID?

    private init(
        _ loop: EventLoop, _ sender: TestSender, token: String,
        _ report: @escaping (HopResult) -> Void
    ) {
        self.loop = loop
        self.sender = sender
        self.token = token
        self.report = report
    }

    /// Returns when the test is done; at once without a session bus.
    static func run(authorities: String?, report: @escaping (HopResult) -> Void) throws {
        let loop = try EventLoop()
        let sender = try TestSender.make(on: loop, authorities: authorities)
        let random = try Random.bytes(count: 16)
        let run = DesktopTestRun(loop, sender, token: Base64URL.text(random.span), report)
        guard run.connect() else { return }
        _ = loop.run()
        // What is exported there holds it.
        (run.exported, run.bus) = (nil, nil)
    }

    private func connect() -> Bool {
        do throws(BusError) {
            let bus = try BusConnection(to: .session, on: loop) { [weak self] error in
                self?.handle(.lost(error.description))
            }
            service = try bus.uniqueName()
            exported = try bus.export(self, at: Self.path)
            bus.owner(of: DesktopService.busName) { [weak self] owner in
                self?.found(try? owner.get())
            }
            self.bus = bus
        } catch { return false }
        wait()
        return true
    }

    private func found(_ owner: String?) {
        guard owner != nil else {
            report(.skipped(.desktop, "no desktop service runs in this session"))
            return finish()
        }
        perform([.register])
    }

    private func handle(_ event: DesktopTest.Event) {
        perform(test.handle(event, now: .nanoseconds(Instant.now.nanoseconds)))
    }

    private func wait() {
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(after: Interval(Self.patience), self)
    }

    private func perform(_ actions: [DesktopTest.Action]) {
        for result in test.results[reported...] { report(result) }
        reported = test.results.count
        wait()
        for action in actions {
            switch action {
            case .register: register()
            case .push(let endpoint): push(to: endpoint)
            case .unregister: call("Unregister", []) { _ in }
            case .finish: finish()
            }
        }
    }

    private func register() {
        let members: [(String, BusValue)] = [
            ("service", .string(service)), ("description", .string("bellwire test")),
            ("vapid", .string(sender.applicationKey)),
        ]
        call("Register", members) { reply in
            switch reply {
            case .failure(let failure): self.handle(.lost(failure.description))
            case .success(let values):
                let answer = values.first?.members ?? [:]
                let isDone = answer["success"]?.text == "REGISTRATION_SUCCEEDED"
                self.handle(.answered(reason: isDone ? nil : answer["reason"]?.text ?? "unknown"))
            }
        }
    }

    private func call(
        _ member: String, _ members: [(String, BusValue)],
        completion: @escaping (BusReply) -> Void
    ) {
        let arguments = BusValue.options([("token", .string(token))] + members)
        bus?.call(
            BusMethodCall(
                to: DesktopService.busName, path: Self.distributor, interface: Self.interface,
                member: member, [arguments]), completion: completion)
    }

    private func push(to endpoint: String) {
        sender.push(to: endpoint) { result in
            switch result {
            case .success(let status): self.handle(.pushed(status: status))
            case .failure(let failure): self.handle(.notPushed(failure.message))
            }
        }
    }

    private func finish() {
        sender.close()
        loop.drain(within: .seconds(1))
    }
}

extension DesktopTestRun: BusObject, TimerHandler {
    var interfaces: [BusInterface] {
        let options = [BusInterface.Argument("args", "a{sv}")]
        return [
            BusInterface(
                "org.unifiedpush.Connector2",
                methods: ["Message", "NewEndpoint", "Unregistered"].map {
                    .init($0, options, output: options)
                })
        ]
    }

    func called(_ call: BusCall) {
        let members = call.arguments.first?.members ?? [:]
        let id = members["id"].map { [("id", $0)] } ?? []
        call.reply([.options(id)])
        guard members["token"]?.text == token else { return }
        switch call.member {
        case "NewEndpoint": handle(.endpoint(members["endpoint"]?.text ?? ""))
        case "Message": handle(.received(isOurs: sender.isLast(members["message"]?.bytes ?? [])))
        default: handle(.unregistered)
        }
    }

    func timerFired(_ cookie: UInt64) {
        timer = nil
        handle(.timedOut)
    }
}
