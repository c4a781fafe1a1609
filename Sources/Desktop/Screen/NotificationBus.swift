import Bus
import Pictures
import System

/// The connection to the owner of `org.freedesktop.Notifications`. There is only one, because some
/// servers report events only to the connection that made the notification.
///
/// Only the thread of the loop uses it.
final class NotificationBus: TimerHandler {
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let retryInterval = Duration.seconds(5)

    private let address: BusAddress
    private let loop: EventLoop
    let log: Log
    private let heard: (PresenterEvent) -> Void
    private(set) var connection: BusConnection? {
        didSet { connected(connection) }
    }
    /// Called with each new connection, or nil.
    var connected: (BusConnection?) -> Void = { _ in }
    private var subscriptions: [BusSubscription] = []
    /// The owner that is being asked for its capabilities, or has answered.
    private var owner: String?
    /// It was said that there is no server.
    private var hasSaidSo = false

    init(
        _ address: BusAddress, on loop: EventLoop, log: Log,
        heard: @escaping (PresenterEvent) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.log = log
        self.heard = heard
    }

    func start() {
        do throws(BusError) {
            let connection = try BusConnection(to: address, on: loop) { [weak self] error in
                self?.lost(error)
            }
            self.connection = connection
            try listen(on: connection)
            // Docks drop the badges of a closed connection.
            heard(.launcherAppeared)
            connection.owner(of: Self.name) { [weak self] reply in
                if case .success(let owner?) = reply { self?.changed(to: owner) }
            }
        } catch { lost(error) }
    }

    func close() {
        subscriptions = []
        connection?.close()
        connection = nil
    }

    private func listen(on connection: BusConnection) throws(BusError) {
        subscriptions = [
            try connection.watchOwner(of: Self.name) { [weak self] _, new in
                self?.changed(to: new)
            },
            try connection.listen(for: BusRule(path: Self.path, interface: Self.name)) {
                [weak self] signal in
                if let event = PresenterEvent(signal) { self?.heard(event) }
            },
            try connection.listen(
                for: BusRule(
                    path: Self.path, interface: "org.freedesktop.DBus.Properties",
                    member: "PropertiesChanged", argument: Self.name)
            ) { [weak self] signal in
                guard let self, signal.sender == owner, signal.arguments.count >= 2,
                    let flag = signal.arguments[1].members?["Inhibited"]?.flag
                else { return }
                heard(.inhibited(flag))
            },
            try connection.watchOwner(of: Self.launcher) { [weak self] _, new in
                if new != nil { self?.heard(.launcherAppeared) }
            },
        ]
    }

    private func lost(_ error: BusError) {
        log.write(.warning, "notifications.bus.lost", [("reason", error.description)])
        close()
        changed(to: nil)
        _ = loop.schedule(after: Interval(Self.retryInterval), self)
    }

    func timerFired(_ cookie: UInt64) { start() }
}

/// Identifying the server.
extension NotificationBus {
    private func changed(to new: String?) {
        guard new != owner else { return }
        if owner != nil { heard(.serverVanished) }
        owner = new
        guard let new else { return }
        hasSaidSo = false
        connection?.credentials(of: new) { [weak self] reply in
            let process = (try? reply.get())?.process
            let start = process.flatMap { ProcessStart.ticks(of: $0) } ?? 0
            self?.describe(ServerIdentity(owner: new, processStart: start))
        }
    }

    private func describe(_ identity: ServerIdentity) {
        call(identity.owner, "GetServerInformation") { [weak self] reply in
            let words = (try? reply.get())?.map { $0.text ?? "" } ?? []
            self?.call(identity.owner, "GetCapabilities") { [weak self] reply in
                guard let self, owner == identity.owner else { return }
                let capabilities = (try? reply.get())?.first?.texts ?? []
                heard(
                    .serverAppeared(
                        NotificationServer(
                            identity: identity, name: words.first ?? "",
                            vendor: words.count > 1 ? words[1] : "",
                            specVersion: words.count > 3 ? words[3] : "",
                            capabilities: capabilities)))
                if capabilities.contains("inhibitions") { askInhibited() }
            }
        }
    }

    private func askInhibited() {
        guard let asked = owner else { return }
        connection?.call(
            BusMethodCall(
                to: asked, path: Self.path, interface: "org.freedesktop.DBus.Properties",
                member: "Get", [.string(Self.name), .string("Inhibited")], startsService: false)
        ) { [weak self] reply in
            guard let self, owner == asked, let flag = (try? reply.get())?.first?.flag else {
                return
            }
            heard(.inhibited(flag))
        }
    }

    private func call(
        _ destination: String, _ member: String, _ arguments: [BusValue] = [],
        startsService: Bool = false, completion: @escaping (BusReply) -> Void
    ) {
        guard let connection else {
            return completion(.failure(BusFailure(name: BusErrorName.disconnected)))
        }
        connection.call(
            BusMethodCall(
                to: destination, path: Self.path, interface: Self.name, member: member, arguments,
                startsService: startsService),
            completion: completion)
    }
}

/// Calls to the server.
extension NotificationBus {
    /// A call to the name starts its service; the owner change reports the result.
    func startServer() {
        call(Self.name, "GetServerInformation", startsService: true) { [weak self] reply in
            guard let self, case .failure(let failure) = reply else { return }
            if !hasSaidSo {
                log.write(
                    .warning, "notifications.no.server",
                    [
                        ("reason", failure.description),
                        ("advice", "start the notification service of the desktop"),
                    ])
            }
            hasSaidSo = true
            heard(.serverUnavailable)
        }
    }

    func notify(_ ticket: Int, _ notification: NotifyCall) {
        call(owner ?? Self.name, "Notify", notification.arguments) { [weak self] reply in
            switch reply {
            case .success(let values):
                let id = values.first?.integer.flatMap { UInt32(exactly: $0) } ?? 0
                self?.heard(
                    id > 0
                        ? .notified(ticket: ticket, id: id)
                        : .notifyFailed(ticket: ticket, .refused))
            case .failure(let failure):
                self?.heard(.notifyFailed(ticket: ticket, NotifyFailure(failure)))
            }
        }
    }

    /// Some servers return an error for an unknown id; it is closed either way.
    func close(_ key: ShownKey, _ id: UInt32) {
        call(owner ?? Self.name, "CloseNotification", [.uint32(id)]) { [weak self] _ in
            self?.heard(.closed(key))
        }
    }
}

extension NotifyFailure {
    fileprivate init(_ failure: BusFailure) {
        switch failure.name {
        case BusErrorName.serviceUnknown, BusErrorName.nameHasNoOwner: self = .undelivered
        case BusErrorName.noReply, BusErrorName.disconnected: self = .unanswered
        default: self = .refused
        }
    }
}

extension PresenterEvent {
    fileprivate init?(_ signal: BusSignal) {
        guard let first = signal.arguments.first?.integer, let id = UInt32(exactly: first),
            signal.arguments.count == 2
        else { return nil }
        let text = signal.arguments[1].text
        let number = signal.arguments[1].integer.flatMap { UInt32(exactly: $0) }
        switch (signal.member, text, number) {
        case ("NotificationClosed", nil, let reason?):
            self = .notificationClosed(id: id, reason: reason, sender: signal.sender)
        case ("ActionInvoked", let key?, nil):
            self = .actionInvoked(id: id, key: key, sender: signal.sender)
        case ("ActivationToken", let token?, nil):
            self = .activationToken(id: id, token: token, sender: signal.sender)
        case ("NotificationReplied", let text?, nil):
            self = .replied(id: id, text: text, sender: signal.sender)
        default: return nil
        }
    }
}

/// The counts that docks draw on application icons.
extension NotificationBus {
    /// Docks own this name by convention.
    static let launcher = "com.canonical.Unity"

    func badge(_ desktopEntry: String, _ count: Int64) {
        let members: [(String, BusValue)] = [
            ("count", .int64(count)), ("count-visible", .boolean(count > 0)),
        ]
        do throws(BusError) {
            try connection?.emit(
                path: "/org/bellwire/Desktop/LauncherEntry",
                interface: "com.canonical.Unity.LauncherEntry", member: "Update",
                [.string("application://\(desktopEntry).desktop"), .options(members)])
        } catch {
            log.write(.warning, "badge.failed", [("reason", error.description)])
        }
    }
}

extension NotifyCall {
    /// The arguments of `Notify`: `susssasa{sv}i`.
    var arguments: [BusValue] {
        [
            .string(appName), .uint32(replacesID), .string(appIcon), .string(summary),
            .string(body), .strings(actions.flatMap { [$0.key, $0.label] }),
            .options(hints.map { ($0.name, $0.value.busValue) }), .int32(expiry),
        ]
    }
}

extension NotifyCall.Hint {
    fileprivate var busValue: BusValue {
        switch self {
        case .byte(let byte): .byte(byte)
        case .flag(let flag): .boolean(flag)
        case .text(let text): .string(text)
        case .picture(let picture):
            .structure([
                .int32(Int32(picture.width)), .int32(Int32(picture.height)),
                .int32(Int32(picture.width * picture.channels)), .boolean(picture.hasAlpha),
                .int32(8), .int32(Int32(picture.channels)), .bytes(picture.pixels),
            ])
        }
    }
}
