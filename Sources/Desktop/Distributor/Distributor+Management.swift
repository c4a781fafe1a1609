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
            waiting: peer.messages.count + (peer.message == nil ? 0 : 1),
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
