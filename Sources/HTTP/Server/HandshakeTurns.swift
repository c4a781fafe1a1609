package struct HandshakeLimits: Sendable {
    /// What handshakes may take of a turn, all together and those of one network. The last one may
    /// take longer.
    package var all = Duration.milliseconds(1)
    package var each = Duration.microseconds(500)
    /// The same for both while the loop has little else to do: the more handshakes follow each other,
    /// the less each of them costs.
    package var calm = Duration.milliseconds(4)
    /// So many rests in a row say that, each of which ended less than so much too late.
    package var calmTurns = 50
    package var late = Duration.microseconds(500)
    /// With as many peers that do not go on, no more is taken on than usual.
    package var unfinished = 1_024
    /// How long waiting handshakes have no turn after one. A loop that never sleeps would get the
    /// processor late, as long as other programs keep the machine busy.
    package var rest = Duration.milliseconds(1)
    /// How many may wait on one loop. One that has not begun costs little more than its descriptor,
    /// and is let go of when its peer gives up.
    package var waiting = 16_384

    package init() {}

    init(all: Duration, each: Duration, waiting: Int = 1_024) {
        (self.all, self.each, self.calm, self.waiting) = (all, each, all, waiting)
    }
}

/// Which TLS handshakes go on in this turn of a loop, and which wait for a later one. A value: the
/// time is passed in.
///
/// A handshake costs the server far more than its peer. So all of them get only a part of each turn,
/// those of one network half of that part, and networks take turns. Within a network, what has begun,
/// and so holds what OpenSSL needs, has every second turn. If too many wait, the newest of the network
/// with most of them is given up, but for what has begun: a client that is alone in its network is
/// served as long as there are fewer networks than places.
struct HandshakeTurns<Waiting> {
    /// The handshakes of a network that wait, the oldest first.
    private struct Line {
        var begun: [Waiting] = []
        var fresh: [Waiting] = []
        private var isTurnOfFresh = false
        /// So many of them have left, and are still here: finding each would take long.
        private var left = 0

        var count: Int { begun.count + fresh.count - left }

        mutating func leave(_ isWaiting: (Waiting) -> Bool) {
            left += 1
            guard left > 64, left > count else { return }
            begun.removeAll { !isWaiting($0) }
            fresh.removeAll { !isWaiting($0) }
            left = 0
        }

        mutating func takeFirst(_ isWaiting: (Waiting) -> Bool) -> Waiting? {
            while count > 0 {
                let isFresh = begun.isEmpty || isTurnOfFresh && !fresh.isEmpty
                let taken = isFresh ? fresh.removeFirst() : begun.removeFirst()
                if isWaiting(taken) {
                    isTurnOfFresh = !isFresh
                    return taken
                }
                left -= 1
            }
            return nil
        }

        mutating func takeLast(_ isWaiting: (Waiting) -> Bool) -> Waiting? {
            while count > 0, let taken = fresh.popLast() ?? begun.popLast() {
                if isWaiting(taken) { return taken }
                left -= 1
            }
            return nil
        }
    }

    private let limits: HandshakeLimits
    private let isWaiting: (Waiting) -> Bool
    private var spent = Duration.zero
    private var spentByNetwork: [UInt64: Duration] = [:]
    private var waiting: [UInt64: Line] = [:]
    /// In the order of their turns.
    private var networks: [UInt64] = []
    private(set) var count = 0
    /// How many networks have a line of one, of two, and so on up to the longest.
    private var lengths: [Int] = []
    /// Those that have begun and not ended, waiting or not.
    var unfinished = 0
    private var calmTurns = 0

    /// `isWaiting` is false of those that have left.
    init(_ limits: HandshakeLimits, _ isWaiting: @escaping (Waiting) -> Bool) {
        (self.limits, self.isWaiting) = (limits, isWaiting)
    }

    /// The loop has rested after a turn, and goes on so much later than it wanted to. If that is long,
    /// other programs or other work of the loop have the processor.
    mutating func rested(late: Duration) { calmTurns = late < limits.late ? calmTurns + 1 : 0 }

    private var isCalm: Bool {
        calmTurns >= limits.calmTurns && unfinished < limits.unfinished
    }

    mutating func beginTurn() {
        spent = .zero
        spentByNetwork.removeAll(keepingCapacity: true)
    }

    /// Whether a handshake of this network may go on at once. Waiting ones come first.
    func hasRoom(for network: UInt64) -> Bool { count == 0 && hasShare(network) }

    mutating func spend(_ time: Duration, for network: UInt64) {
        spent += time
        spentByNetwork[network, default: .zero] += time
    }

    private func hasShare(_ network: UInt64) -> Bool {
        if isCalm { return spent < limits.calm }
        return spent < limits.all && spentByNetwork[network, default: .zero] < limits.each
    }

    /// Returns what is given up for it, perhaps itself. `hasBegun`: an earlier turn was its first.
    mutating func wait(
        _ handshake: Waiting, of network: UInt64, hasBegun: Bool = false
    ) -> Waiting? {
        var line = waiting.removeValue(forKey: network) ?? Line()
        if line.count == 0 { networks.append(network) }
        if hasBegun { line.begun.append(handshake) } else { line.fresh.append(handshake) }
        changeLength(from: line.count - 1, to: line.count)
        count += 1
        let isLongest = line.count == lengths.count
        waiting[network] = line
        guard count > limits.waiting else { return nil }
        let most = isLongest ? network : waiting.first { $0.value.count == lengths.count }?.key
        return take(from: most ?? network) { $0.takeLast($1) }
    }

    private mutating func changeLength(from old: Int, to new: Int) {
        if old > 0 { lengths[old - 1] -= 1 }
        if new > lengths.count { lengths.append(0) }
        if new > 0 { lengths[new - 1] += 1 }
        while lengths.last == 0 { lengths.removeLast() }
    }

    /// The next one that may go on in this turn.
    mutating func next() -> (handshake: Waiting, network: UInt64)? {
        guard let index = networks.firstIndex(where: hasShare) else { return nil }
        let network = networks.remove(at: index)
        networks.append(network)
        return take(from: network) { $0.takeFirst($1) }.map { ($0, network) }
    }

    /// One of this network has left.
    mutating func leave(_ network: UInt64) {
        guard var line = waiting.removeValue(forKey: network) else { return }
        line.leave(isWaiting)
        settle(line, of: network)
    }

    /// The line is one shorter than before.
    private mutating func settle(_ line: consuming Line, of network: UInt64) {
        count -= 1
        changeLength(from: line.count + 1, to: line.count)
        if line.count == 0 {
            networks.removeAll { $0 == network }
        } else {
            waiting[network] = line
        }
    }

    private mutating func take(
        from network: UInt64, _ body: (inout Line, (Waiting) -> Bool) -> Waiting?
    ) -> Waiting? {
        guard var line = waiting.removeValue(forKey: network) else { return nil }
        let taken = body(&line, isWaiting)
        settle(line, of: network)
        return taken
    }
}
