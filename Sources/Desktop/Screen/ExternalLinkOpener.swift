import Bus
import System

/// Opens links, if possible through the user's service manager, so that the browser does not run
/// under this process's restrictions; otherwise as a child process.
///
/// Only the thread of the loop uses it.
final class ExternalLinkOpener: TimerHandler {
    private static let reapInterval = Interval(.seconds(10))
    private static let manager = "org.freedesktop.systemd1"

    private let loop: EventLoop
    private let log: Log
    private var connection: BusConnection?
    private var opener = LinkOpener()
    private var isReaping = false

    init(on loop: EventLoop, log: Log) {
        self.loop = loop
        self.log = log
    }

    /// Sets the connection for further links; nil for none.
    func use(_ connection: BusConnection?) { self.connection = connection }

    func open(_ link: ExternalLink, token: String?) {
        guard let connection else { return openByChild(link, token) }
        let name = "app-bellwire-link-\(String(UInt64.random(in: 0 ... .max), radix: 16)).service"
        connection.call(Self.unit(name, link, token)) { [weak self] reply in
            guard case .failure(let failure) = reply else { return }
            // After a timeout the manager may still open it.
            guard !failure.isTimeout else {
                self?.log.write(.warning, "link.not.opened", [("reason", failure.name)])
                return
            }
            self?.openByChild(link, token)
        }
    }

    /// A unit that lasts as long as one of its processes, because programs that show links start
    /// each other.
    private static func unit(
        _ name: String, _ link: ExternalLink, _ token: String?
    ) -> BusMethodCall {
        // The manager expands variables in arguments; two dollar signs are a literal one.
        let escaped = link.text.split(separator: "$", omittingEmptySubsequences: false)
            .joined(separator: "$$")
        let command = BusValue.structure([
            .string("/usr/bin/env"), .strings(["env", "xdg-open", escaped]), .boolean(false),
        ])
        let properties: [(String, BusValue)] = [
            ("Description", .string("A link from a notification")),
            ("ExecStart", .array("(sasb)", [command])),
            ("Environment", .strings(LinkOpener.variables(token))),
            ("ExitType", .string("cgroup")),
            ("CollectMode", .string("inactive-or-failed")),
            ("Slice", .string("app.slice")),
        ]
        let list = properties.map { name, value in
            BusValue.structure([.string(name), .variant(value)])
        }
        return BusMethodCall(
            to: manager, path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager", member: "StartTransientUnit",
            [.string(name), .string("fail"), .array("(sv)", list), .array("(sa(sv))", [])],
            startsService: false)
    }

    private func openByChild(_ link: ExternalLink, _ token: String?) {
        do throws(SystemError) {
            try opener.open(link, token: token)
        } catch {
            log.write(.warning, "link.not.opened", [("reason", error.description)])
        }
        reapLater()
    }

    private func reapLater() {
        guard opener.hasChildren, !isReaping else { return }
        isReaping = true
        _ = loop.schedule(after: Self.reapInterval, self)
    }

    func timerFired(_ cookie: UInt64) {
        isReaping = false
        opener.reap()
        reapLater()
    }
}
