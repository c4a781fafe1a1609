package struct HandshakeLimits: Sendable {
    /// What handshakes may take of a turn, all together and those of one network. The last one may
    /// take longer.
    package var all = Duration.milliseconds(1)
    package var each = Duration.microseconds(500)
    /// How long those that wait have no turn after one. A loop that never sleeps would itself wait
    /// for a processor, as long as whoever else keeps them busy.
    package var rest = Duration.milliseconds(1)
    /// How many may wait on one loop.
    package var waiting = 1_024

    package init() {}

    init(all: Duration, each: Duration, waiting: Int = 1_024) {
        (self.all, self.each, self.waiting) = (all, each, waiting)
    }
}

/// Which TLS handshakes go on in this turn of a loop, and which wait for a later one. A value: the
/// time is passed in.
///
/// A handshake costs the server far more than its peer. So all of them get only a part of each turn,
/// those of one network half of that part, and networks take turns. If too many wait, the newest of
/// the network with most of them is given up: a client that is alone in its network is served as
/// long as there are fewer networks than places.
struct HandshakeTurns<Waiting> {
    private let limits: HandshakeLimits
    private var spent = Duration.zero
    private var spentByNetwork: [UInt64: Duration] = [:]
    /// Those that wait, by network, the oldest first; and the networks in the order of their turns.
    private var waiting: [UInt64: [Waiting]] = [:]
    private var networks: [UInt64] = []
    private(set) var count = 0

    init(_ limits: HandshakeLimits) { self.limits = limits }

    mutating func beginTurn() {
        spent = .zero
        spentByNetwork.removeAll(keepingCapacity: true)
    }

    /// Whether a handshake of this network may go on at once. Those that wait come first.
    func hasRoom(for network: UInt64) -> Bool { count == 0 && hasShare(network) }

    mutating func spend(_ time: Duration, for network: UInt64) {
        spent += time
        spentByNetwork[network, default: .zero] += time
    }

    private func hasShare(_ network: UInt64) -> Bool {
        spent < limits.all && spentByNetwork[network, default: .zero] < limits.each
    }

    /// Returns what is given up for it, perhaps itself.
    mutating func wait(_ handshake: Waiting, of network: UInt64) -> Waiting? {
        if waiting[network] == nil { networks.append(network) }
        waiting[network, default: []].append(handshake)
        count += 1
        guard count > limits.waiting else { return nil }
        var most = network
        for (other, list) in waiting where list.count > waiting[most]?.count ?? 0 { most = other }
        return take(from: most) { $0.popLast() }
    }

    /// The next one that may go on in this turn: the oldest of a network.
    mutating func next() -> (handshake: Waiting, network: UInt64)? {
        guard let index = networks.firstIndex(where: hasShare) else { return nil }
        let network = networks.remove(at: index)
        networks.append(network)
        return take(from: network) { $0.removeFirst() }.map { ($0, network) }
    }

    /// It ended while it waited.
    mutating func remove(of network: UInt64, where isIt: (Waiting) -> Bool) {
        guard let index = waiting[network]?.firstIndex(where: isIt) else { return }
        _ = take(from: network) { $0.remove(at: index) }
    }

    private mutating func take(
        from network: UInt64, _ body: (inout [Waiting]) -> Waiting?
    ) -> Waiting? {
        guard var list = waiting.removeValue(forKey: network) else { return nil }
        let taken = body(&list)
        if taken != nil { count -= 1 }
        if list.isEmpty {
            networks.removeAll { $0 == network }
        } else {
            waiting[network] = list
        }
        return taken
    }
}
