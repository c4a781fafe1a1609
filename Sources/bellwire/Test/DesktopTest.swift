import Base
import Bus
import System
import WebPush

/// Tests the way of a message to an application: registers on the session bus, pushes to its
/// endpoint and receives the message. It is a value: events go in, actions come out.
struct DesktopTest {
    enum Action: Equatable {
        case register
        case push(to: String)
        case unregister
        case finish
    }

    enum Event {
        /// Nil: it worked.
        case answered(reason: String?)
        case endpoint(String)
        case pushed(status: Int)
        case notPushed(String)
        case received(isOurs: Bool)
        case unregistered
        /// The desktop service cannot be reached.
        case lost(String)
        case timedOut
    }

    private enum Step { case registering, pushing, leaving, done }

    private(set) var results: [HopResult] = []
    private var step = Step.registering
    private var isAccepted = false
    private var endpoint: String?
    private var sent = Duration.zero

    private static let restart =
        "restart it (systemctl --user restart bellwire-desktop) and read its log"

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch (step, event) {
        case (.done, _): return []
        case (_, .lost(let reason)): return fail(.desktop, reason, Self.restart)
        case (.registering, .answered(let reason?)): return fail(reason)
        case (.registering, .answered):
            isAccepted = true
            return push(now)
        case (.registering, .endpoint(let endpoint)):
            self.endpoint = endpoint
            return push(now)
        case (.pushing, .pushed(let status)) where status != 201:
            return fail(.push, "refused with status \(status)", "read the lines above")
        case (_, .notPushed(let reason)):
            return fail(.push, "no answer to a push: \(reason)", "read the lines above")
        case (.pushing, .received(let isOurs)): return receive(isOurs, now)
        case (.leaving, .unregistered):
            step = .done
            return [.finish]
        case (_, .timedOut): return late
        default: return []
        }
    }

    private mutating func push(_ now: Duration) -> [Action] {
        guard isAccepted, let endpoint else { return [] }
        results.append(.passed(.desktop, "registered and got an endpoint"))
        step = .pushing
        sent = now
        return [.push(to: endpoint)]
    }

    private mutating func receive(_ isOurs: Bool, _ now: Duration) -> [Action] {
        guard isOurs else { return fail(ReceiverTest.changed(.application)) }
        results.append(.passed(.application, "arrived after \(ReceiverTest.text(now - sent))"))
        step = .leaving
        return [.unregister]
    }

    private var late: [Action] {
        mutating get {
            switch step {
            case .registering where isAccepted:
                fail(
                    .desktop, "registered, but got no endpoint: the receiver cannot be reached",
                    "put a device's address into the file receivers; see bellwire desktop --help")
            case .registering: fail(.desktop, "no answer to a registration", Self.restart)
            case .pushing:
                fail(.application, "the push was sent, but no message arrives", Self.restart)
            case .leaving, .done:
                fail(.application, "the end of the registration is not confirmed", Self.restart)
            }
        }
    }

    /// The reasons are those of the UnifiedPush specification.
    private mutating func fail(_ reason: String) -> [Action] {
        let advice =
            switch reason {
            case "ACTION_REQUIRED":
                "put a device's address into the file receivers; see bellwire desktop --help"
            case "NETWORK": "make sure that the receiver can be reached from here"
            default: Self.restart
            }
        return fail(.desktop, "the registration was refused: \(reason)", advice)
    }

    private mutating func fail(_ hop: Hop, _ finding: String, _ advice: String) -> [Action] {
        fail(.failed(hop, finding, advice: advice))
    }

    /// Ends the registration before the test ends.
    private mutating func fail(_ result: HopResult) -> [Action] {
        results.append(result)
        step = .done
        return [.unregister, .finish]
    }
}

/// Asks whether a program of this session shows notifications, as the desktop service asks it.
final class ScreenTest: TimerHandler {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let patience = Duration.seconds(10)
    private static let advice =
        "start the notification service of your desktop, for example dunst "
        + "or mako; notify-send hello has to show something"

    private let loop: EventLoop
    private let report: (HopResult) -> Void
    private var bus: BusConnection?
    private var isDone = false

    private init(_ loop: EventLoop, _ report: @escaping (HopResult) -> Void) {
        self.loop = loop
        self.report = report
    }

    /// Returns when the program has answered, or at once without a session bus.
    static func run(report: @escaping (HopResult) -> Void) throws {
        let test = ScreenTest(try EventLoop(), report)
        guard test.ask() else {
            return report(.skipped(.screen, "there is no session bus here, so no screen"))
        }
        _ = test.loop.run()
    }

    private func ask() -> Bool {
        do throws(BusError) {
            let bus = try BusConnection(to: .session, on: loop) { [weak self] error in
                self?.end(.failed(.screen, error.description, advice: Self.advice))
            }
            self.bus = bus
            // A call to the name also starts its program.
            bus.call(
                BusMethodCall(
                    to: Self.name, path: Self.path, interface: Self.name,
                    member: "GetServerInformation")
            ) { [weak self] reply in self?.answered(reply) }
        } catch { return false }
        _ = loop.schedule(after: Interval(Self.patience), self)
        return true
    }

    private func answered(_ reply: BusReply) {
        switch reply {
        case .success(let values):
            let name = values.first?.text ?? "a program without a name"
            end(.passed(.screen, "\(name) shows notifications"))
        case .failure:
            end(
                .failed(
                    .screen, "no program of this session shows notifications", advice: Self.advice))
        }
    }

    func timerFired(_ cookie: UInt64) {
        end(
            .failed(
                .screen, "the program that shows notifications does not answer",
                advice: Self.advice))
    }

    private func end(_ result: HopResult) {
        guard !isDone else { return }
        isDone = true
        report(result)
        loop.drain(within: .zero)
    }
}

/// Asks who listens to topics.
enum AddressTest {
    static func run(_ control: ControlConnection, report: (HopResult) -> Void) throws {
        // Administrators also see what belongs to others, with its owner.
        let topics = try RegistrationsPath.topics(control).filter { $0.owner == nil }
        let unheard = topics.filter(\.isUnheard)
        guard unheard.isEmpty else {
            return report(
                .failed(
                    .addresses, "nobody listens to \(names(unheard))",
                    advice: Sentence.nobodyListens.text(.english)))
        }
        let shown = topics.filter(\.hasListeners)
        guard !shown.isEmpty else { return }
        report(.passed(.addresses, "a client listens to \(names(shown))"))
    }

    private static let shown = 5

    private static func names(_ list: [ListedRegistration]) -> String {
        let names = list.prefix(shown).map(\.account)
        return names.joined(separator: ", ") + (list.count > shown ? ", …" : "")
    }
}
