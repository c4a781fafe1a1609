import Base
package import WebPush

/// Messages of the receivers, and signals of engines.
extension Distributor {
    /// No receiver is listed. All registrations end at that time, in seconds since 1970; nil if
    /// they do not.
    package mutating func unlisted(until end: Int64?) { self.end = end }

    /// The network is back or the machine has slept: what failed may work now.
    package mutating func woken(at moment: Moment) {
        for service in peers.keys.sorted() {
            peers[service]?.queue.pause.reset()
            advance(service, at: moment)
        }
    }

    package mutating func received(_ message: PushedMessage, at moment: Moment) {
        // The registration has ended, so nobody needs to keep the message.
        guard let key = channels[message.channel], let client = clients[key] else {
            return act(.reject(message.channel, message: message.id))
        }
        if client.delivered[message.id] != nil {
            return act(.acknowledge(message.channel, message: message.id))
        }
        let service = client.record.service
        let isSame = { (item: Peer.Item) in item.isMessage(message.id, of: message.channel) }
        guard let peer = peers[service], !peer.queue.items.contains(where: isSame) else { return }
        if let index = peer.flights.firstIndex(where: { isSame($0.item) }) {
            // The receiver still has it, so it was not withdrawn.
            peers[service]?.flights[index].isOver = false
            return
        }
        let isThere = peer.owner.isPresent && !client.record.isMuted
        guard message.deadline != nil || isThere else {
            return act(.reject(message.channel, message: message.id))
        }
        peers[service]?.queue.items.append(
            Peer.Item(
                client: key, content: .message(message),
                expiry: message.deadline ?? moment.boot + Self.momentaryLife))
        advance(service, at: moment)
    }

    /// The sender withdrew the message, or replaced it by a newer one with the same topic.
    package mutating func withdrawn(_ channel: ChannelID, message id: String) {
        guard let key = channels[channel], let client = clients[key] else { return }
        let service = client.record.service
        peers[service]?.giveUp { $0.isMessage(id, of: channel) }
    }

    /// A message without a deadline waits so long for those before it, and for the end of a pause.
    private static let momentaryLife = Duration.seconds(1)

    /// The named application should fetch. Waiting signals are merged into one.
    package mutating func fetch(_ signal: FetchCall, at moment: Moment) {
        let service = signal.service
        for key in keys(of: service) where peers[service]?.isTelling(signal, to: key) != true {
            // The engine repeated it before it recorded the confirmation.
            if heardSignals.contains(where: { $0.client == key && $0.signal.isSaying(signal) }) {
                act(.fetched(signal))
                continue
            }
            let index = peers[service]?.queue.items.firstIndex {
                $0.client == key && $0.signals != nil
            }
            if let index, let waiting = peers[service]?.queue.items[index].signals {
                peers[service]?.queue.items[index].content = .fetch(
                    waiting.filter { !$0.isSame(signal) } + [signal])
            } else {
                peers[service]?.queue.items.append(
                    Peer.Item(client: key, content: .fetch([signal])))
            }
        }
        advance(service, at: moment)
    }

    /// Far more signals than can be unconfirmed at a time.
    private static let heardLimit = 64

    mutating func recordHeard(_ signal: FetchCall, by client: ClientKey) {
        act(.fetched(signal))
        heardSignals.append((client, signal))
        if heardSignals.count > Self.heardLimit { heardSignals.removeFirst() }
    }
}

extension Peer {
    /// Whether a running call carries this signal: the engine may repeat it before the answer
    /// arrives. If pushes were added since, it needs another call.
    fileprivate func isTelling(_ signal: FetchCall, to client: ClientKey) -> Bool {
        flights.contains {
            $0.item.client == client && $0.item.signals?.contains { $0.isSaying(signal) } == true
        }
    }
}

extension Peer.Item {
    fileprivate func isMessage(_ id: String, of channel: ChannelID) -> Bool {
        guard case .message(let message) = content else { return false }
        return message.channel == channel && message.id == id
    }

    fileprivate var signals: [FetchCall]? {
        if case .fetch(let signals) = content { signals } else { nil }
    }
}

extension FetchCall {
    /// The same signal, perhaps with more pushes.
    fileprivate func isSame(_ other: FetchCall) -> Bool {
        id != nil && id == other.id && source == other.source
    }

    /// The same signal without more pushes.
    fileprivate func isSaying(_ other: FetchCall) -> Bool {
        isSame(other) && count == other.count
    }
}
