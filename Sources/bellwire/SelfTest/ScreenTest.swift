import Base
import Bus
import Reactor

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

/// Asks who listens to the addresses of `bellwire hear`.
enum AddressTest {
    static func run(_ control: ControlConnection, report: (HopResult) -> Void) throws {
        // Administrators also see what belongs to others, with its owner.
        let heard = try RegistrationsPath.list(control).filter {
            !$0.has("owner") && $0.has("hears") && $0["app"]?.text == AccountName.scripts
        }
        let unheard = heard.filter(RegistrationText.isUnheard)
        guard unheard.isEmpty else {
            return report(
                .failed(
                    .addresses, "nobody listens to \(names(unheard))",
                    advice: Sentence.nobodyListens.text(.english)))
        }
        let shown = heard.filter { $0["listening"]?.bool == true }
        guard !shown.isEmpty else { return }
        report(.passed(.addresses, "a client listens to \(names(shown))"))
    }

    private static let shown = 5

    private static func names(_ list: [JSONNode]) -> String {
        let names = list.prefix(shown).map { $0["account"]?.text ?? "" }
        return names.joined(separator: ", ") + (list.count > shown ? ", …" : "")
    }
}
