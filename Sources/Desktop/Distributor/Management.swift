package import Base
package import Bus
package import WebPush

/// The functions of `bellwire apps`.
extension Distributor {
    /// Sorted by name.
    package var applications: [Application] {
        Set(clients.values.map(\.record.service)).sorted().compactMap(application)
    }

    private func application(_ service: String) -> Application? {
        let all = keys(of: service).compactMap { clients[$0] }
        guard let first = all.first, let peer = peers[service] else { return nil }
        return Application(
            service: service, description: first.record.description,
            sandbox: first.record.key.sandbox, registrations: all.count,
            isRunning: peer.owner.isPresent,
            waiting: peer.waiting,
            created: all.map(\.record.created).min() ?? 0,
            lastDelivery: all.compactMap(\.record.lastDelivery).max(),
            isMuted: all.allSatisfy(\.record.isMuted),
            leastUrgency: all.map(\.record.leastUrgency).min() ?? .veryLow,
            trouble: all.compactMap(\.trouble).first, end: end)
    }

    /// Ends all registrations of an application and tells it. False if there is none.
    package mutating func removeApplication(_ service: String, at moment: Moment) -> Bool {
        let all = keys(of: service)
        for key in all {
            if let client = remove(key) { sendUnregistered(client) }
        }
        advance(service, at: moment)
        releasePeer(service)
        return !all.isEmpty
    }

    /// Messages for a muted application wait. False if there is no application of that name.
    package mutating func setMuted(
        _ isMuted: Bool, _ service: String, at moment: Moment
    ) -> Bool {
        change(service, at: moment) { $0.isMuted = isMuted }
    }

    /// Less urgent messages do not start the application. False if there is none of that name.
    package mutating func setLeastUrgency(
        _ urgency: Urgency, _ service: String, at moment: Moment
    ) -> Bool {
        change(service, at: moment) { $0.leastUrgency = urgency }
    }

    private mutating func change(
        _ service: String, at moment: Moment, _ body: (inout ClientRecord) -> Void
    ) -> Bool {
        let all = keys(of: service)
        for key in all {
            guard var client = clients[key] else { continue }
            body(&client.record)
            clients[key] = client
            act(.save(client.record))
        }
        advance(service, at: moment)
        return !all.isEmpty
    }
}

/// An application as the user sees it: all registrations of one bus name, without their secrets.
package struct Application: Equatable, Sendable {
    package let service: String
    package let description: String
    package let sandbox: String
    package let registrations: Int
    package let isRunning: Bool
    package let waiting: Int
    package let created: Int64
    package let lastDelivery: Int64?
    package let isMuted: Bool
    package let leastUrgency: Urgency
    package let trouble: String?
    /// When its registrations end because no receiver is listed, in seconds since 1970.
    package let end: Int64?
}

/// `org.bellwire.Desktop1`: the interface of `bellwire apps`, for programs outside sandboxes.
final class ManagementObject: BusObject {
    static let path = "/org/bellwire/Desktop1"
    static let name = "org.bellwire.Desktop1"
    private static let unknownApplication = "org.bellwire.Error.UnknownApplication"

    let interfaces = [
        BusInterface(
            name,
            methods: [
                .init("ListApplications", output: [.init("applications", "aa{sv}")]),
                .init("ListReceivers", output: [.init("receivers", "aa{sv}")]),
                .init("RemoveApplication", [.init("service", "s")]),
                .init("SetMuted", [.init("service", "s"), .init("muted", "b")]),
                .init("SetLeastUrgency", [.init("service", "s"), .init("urgency", "s")]),
                .init(
                    "ImportRegistration", [.init("args", "a{sv}")],
                    output: [.init("result", "a{sv}")]),
            ])
    ]
    private unowned let distributor: DistributorService

    init(_ distributor: DistributorService) { self.distributor = distributor }

    func called(_ call: BusCall) {
        distributor.sandboxes.sandbox(of: call.sender, on: distributor.bus) { [weak self] sandbox in
            guard sandbox == .none else {
                return call.fail(BusErrorName.accessDenied, "sandboxed programs are refused")
            }
            self?.perform(call)
        }
    }

    private func perform(_ call: BusCall) {
        let service = call.arguments.first?.text ?? ""
        switch call.member {
        case "ListApplications":
            let applications = distributor.applications.map(\.options)
            call.reply([.array("a{sv}", applications)])
        case "ListReceivers":
            call.reply([.array("a{sv}", distributor.receivers.map(\.options))])
        case "RemoveApplication":
            finish(call, distributor.update { $0.removeApplication(service, at: $1) })
        case "SetMuted":
            let isMuted = call.arguments[1].flag ?? false
            finish(call, distributor.update { $0.setMuted(isMuted, service, at: $1) })
        case "SetLeastUrgency":
            guard let urgency = call.arguments[1].text.flatMap(Urgency.init(rawValue:)) else {
                return call.fail(BusErrorName.invalidArguments, "no such urgency")
            }
            finish(call, distributor.update { $0.setLeastUrgency(urgency, service, at: $1) })
        case "ImportRegistration": distributor.importRegistration(call)
        default: call.fail(BusErrorName.unknownMethod, "no such method")
        }
    }

    private func finish(_ call: BusCall, _ isDone: Bool) {
        if isDone {
            call.reply()
        } else {
            call.fail(Self.unknownApplication, "no such application")
        }
    }
}

/// A receiver on the bus, and as JSON.
extension ReceiverState {
    fileprivate var options: BusValue {
        .options([
            ("receiver", .string(name)), ("state", .string(condition.rawValue)),
            ("since", .int64(since)), ("reason", .string(reason)),
        ])
    }

    /// Reads what the service says of it.
    package init(_ options: BusValue) {
        let members = options.members ?? [:]
        self.init(of: members["receiver"]?.text ?? "", at: 0)
        let condition = members["state"]?.text.flatMap(Condition.init(rawValue:)) ?? .connecting
        _ = change(to: condition, reason: members["reason"]?.text ?? "", at: 0)
        since = members["since"]?.integer ?? 0
    }

    package func members(_ writer: inout JSONWriter) {
        writer.member("receiver", name)
        writer.member("state", condition.rawValue)
        writer.member("since", Int(since))
        if !reason.isEmpty { writer.member("reason", reason) }
    }
}

/// An application on the bus, and as JSON; without nil members.
extension Application {
    fileprivate var options: BusValue {
        var members: [(String, BusValue)] = [
            ("service", .string(service)), ("description", .string(description)),
            ("sandbox", .string(sandbox)), ("registrations", .uint32(UInt32(registrations))),
            ("running", .boolean(isRunning)), ("waiting", .uint32(UInt32(waiting))),
            ("created", .int64(created)), ("muted", .boolean(isMuted)),
            ("urgency", .string(leastUrgency.rawValue)),
        ]
        if let lastDelivery { members.append(("last-delivery", .int64(lastDelivery))) }
        if let trouble { members.append(("trouble", .string(trouble))) }
        if let end { members.append(("end", .int64(end))) }
        return .options(members)
    }

    /// Reads what the service says of it.
    package init(_ options: BusValue) {
        let members = options.members ?? [:]
        self.init(
            service: members["service"]?.text ?? "",
            description: members["description"]?.text ?? "",
            sandbox: members["sandbox"]?.text ?? "",
            registrations: Int(members["registrations"]?.integer ?? 0),
            isRunning: members["running"]?.flag ?? false,
            waiting: Int(members["waiting"]?.integer ?? 0),
            created: members["created"]?.integer ?? 0,
            lastDelivery: members["last-delivery"]?.integer,
            isMuted: members["muted"]?.flag ?? false,
            leastUrgency: members["urgency"]?.text.flatMap(Urgency.init(rawValue:)) ?? .veryLow,
            trouble: members["trouble"]?.text, end: members["end"]?.integer)
    }

    package func members(_ writer: inout JSONWriter) {
        writer.member("service", service)
        writer.member("description", description)
        if !sandbox.isEmpty { writer.member("sandbox", sandbox) }
        writer.member("registrations", registrations)
        writer.member("running", isRunning)
        writer.member("waiting", waiting)
        writer.member("created", Int(created))
        if let lastDelivery { writer.member("last_delivery", Int(lastDelivery)) }
        writer.member("muted", isMuted)
        writer.member("urgency", leastUrgency.rawValue)
        if let trouble { writer.member("trouble", trouble) }
        if let end { writer.member("end", Int(end)) }
    }
}
