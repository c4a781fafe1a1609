/// Deadlines.
extension Distributor {
    /// When `tick` is due, on the boot clock.
    package var nextTick: Duration? {
        var next: Duration?
        func consider(_ time: Duration?) {
            guard let time else { return }
            next = min(next ?? time, time)
        }
        for client in clients.values { for call in client.calls { consider(call.deadline) } }
        for peer in peers.values {
            consider(peer.control?.deadline)
            consider(peer.message?.deadline)
            guard !peer.controls.isEmpty || !peer.messages.isEmpty else { continue }
            if peer.control == nil || peer.message == nil {
                consider(peer.pauseEnd)
                if peer.owner == .none { consider(peer.startEnd) }
            }
        }
        return next
    }

    package mutating func tick(at moment: Moment) {
        answerWaiting(at: moment.boot)
        for service in peers.keys.sorted() {
            peers[service]?.control?.excuse(at: moment.boot)
            peers[service]?.message?.excuse(at: moment.boot)
            guard let peer = peers[service] else { continue }
            for flight in [peer.control, peer.message] {
                guard let flight, flight.deadline <= moment.boot else { continue }
                // A running application of the first generation has the message, and need not
                // answer.
                let isDelivered = flight.version == .one && peer.owner.isPresent
                answered(
                    flight.id, isDelivered ? .taken : .unreachable("it does not answer"),
                    at: moment)
            }
            clearPauses(service, at: moment.boot)
            advance(service, at: moment)
        }
    }

    /// A pause that is over must not wake the loop again.
    private mutating func clearPauses(_ service: String, at now: Duration) {
        guard var peer = peers[service] else { return }
        if let end = peer.pauseEnd, end <= now { peer.pauseEnd = nil }
        if let end = peer.startEnd, end <= now { peer.startEnd = nil }
        peers[service] = peer
    }

    /// Answers "registered" without an endpoint, which follows when the receiver can be reached.
    private mutating func answerWaiting(at now: Duration) {
        for key in clients.keys {
            guard let client = clients[key], !client.calls.isEmpty else { continue }
            for call in client.calls where call.deadline <= now {
                act(.answer(call.id, .registered))
            }
            clients[key]?.calls.removeAll { $0.deadline <= now }
        }
    }
}

extension Peer.Flight {
    /// A tick this late means that the machine slept.
    private static let oversleep = Duration.seconds(5)

    /// Extends deadlines that passed while the machine slept.
    fileprivate mutating func excuse(at now: Duration) {
        if now - deadline > Self.oversleep { deadline = now + Self.pause(version) }
    }
}
