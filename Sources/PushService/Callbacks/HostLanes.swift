/// Decides which request is sent next, among many hosts of which some never answer.
///
/// A host that answered its last request goes first. Hosts not tried yet, and hosts whose last
/// request timed out, have lanes of their own, each with part of the places: however many such
/// hosts there are, places stay free for the others. Time is passed in, in milliseconds.
package struct HostLanes {
    package struct Limits: Sendable {
        package var places = 512
        package var untried = 256
        package var slow = 64
        package var perHost = 4
        package var perSecond = 20

        package init() {}
    }

    private enum Lane: Int, CaseIterable {
        case fast, untried, slow
    }

    private struct Host {
        var lane = Lane.untried
        var inFlight = 0
        var waiting = WaitingLine<UInt32>()
        /// When the last requests began, as many as are allowed per second.
        var begun = WaitingLine<Int64>()
        var place = Place.nowhere
    }

    /// Where a host waits for its turn. A lane may still have entries of hosts that moved on; they
    /// are skipped.
    private enum Place: Equatable {
        case nowhere
        case lane(Lane)
        case held
    }

    /// Beyond this number of hosts, idle ones are forgotten.
    private static let memory = 32_768

    private let limits: Limits
    private var forgetsAt = Self.memory
    private var hosts: [String: Host] = [:]
    private var lanes: [WaitingLine<String>]
    private var inFlight: [Int]
    /// Hosts that were sent as many requests as a second allows, with the end of that second.
    private var held: [(host: String, until: Int64)] = []

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
        lanes = Lane.allCases.map { _ in WaitingLine() }
        inFlight = Lane.allCases.map { _ in 0 }
    }

    /// Requests under way.
    package var count: Int { inFlight.reduce(0, +) }
    var hostCount: Int { hosts.count }

    /// Waits for a place to send something to `host`.
    package mutating func ask(_ ticket: UInt32, host name: String) {
        if hosts[name] == nil, hosts.count >= forgetsAt {
            hosts = hosts.filter { $0.value.place != .nowhere || $0.value.inFlight > 0 }
            // Wait for as many more before filtering again.
            forgetsAt = max(Self.memory, 2 * hosts.count)
        }
        hosts[name, default: Host()].waiting.append(ticket)
        list(name)
    }

    /// The next request that gets a place; nil if no place is free or nobody waits.
    package mutating func next(at now: Int64) -> UInt32? {
        release(at: now)
        guard count < limits.places else { return nil }
        for lane in Lane.allCases where inFlight[lane.rawValue] < room(lane) {
            while let name = lanes[lane.rawValue].popFirst() {
                guard hosts[name]?.place == .lane(lane) else { continue }
                if let ticket = begin(name, now) { return ticket }
            }
        }
        return nil
    }

    /// When the next of these hosts may continue.
    package var nextTime: Int64? { held.lazy.map(\.until).min() }

    /// Frees a place. `wasSlow`: the request timed out.
    package mutating func finish(host name: String, wasSlow: Bool) {
        guard var host = hosts[name] else { return }
        inFlight[host.lane.rawValue] -= host.inFlight
        host.inFlight -= 1
        host.lane = wasSlow ? .slow : .fast
        inFlight[host.lane.rawValue] += host.inFlight
        if case .lane(let lane) = host.place, lane != host.lane { host.place = .nowhere }
        hosts[name] = host
        list(name)
    }

    /// Frees a place that was not needed.
    package mutating func giveBack(host name: String) {
        guard let lane = hosts[name]?.lane else { return }
        hosts[name]?.inFlight -= 1
        inFlight[lane.rawValue] -= 1
        list(name)
    }

    private func room(_ lane: Lane) -> Int {
        switch lane {
        case .fast: limits.places
        case .untried: limits.untried
        case .slow: limits.slow
        }
    }

    /// Puts a host into its lane, unless it has nothing to send or too much under way.
    private mutating func list(_ name: String) {
        guard let host = hosts[name], host.place == .nowhere, !host.waiting.isEmpty,
            host.inFlight < limits.perHost
        else { return }
        hosts[name]?.place = .lane(host.lane)
        lanes[host.lane.rawValue].append(name)
    }

    private mutating func begin(_ name: String, _ now: Int64) -> UInt32? {
        // The host is removed from the dictionary, so that its lines change in place without a
        // copy.
        guard var host = hosts.removeValue(forKey: name) else { return nil }
        defer {
            hosts[name] = host
            list(name)
        }
        host.place = .nowhere
        if host.begun.count == limits.perSecond, let first = host.begun.first,
            now < first + Self.second
        {
            host.place = .held
            held.append((name, first + Self.second))
            return nil
        }
        guard let ticket = host.waiting.popFirst() else { return nil }
        if host.begun.count == limits.perSecond { _ = host.begun.popFirst() }
        host.begun.append(now)
        host.inFlight += 1
        inFlight[host.lane.rawValue] += 1
        return ticket
    }

    private static let second: Int64 = 1_000

    private mutating func release(at now: Int64) {
        guard let next = nextTime, next <= now else { return }
        let due = held.filter { $0.until <= now }
        held.removeAll { $0.until <= now }
        for entry in due {
            hosts[entry.host]?.place = .nowhere
            list(entry.host)
        }
    }
}

/// A first-in, first-out queue.
package struct WaitingLine<Element> {
    private var elements: [Element] = []
    private var start = 0

    package init() {}

    package var isEmpty: Bool { start == elements.count }
    package var count: Int { elements.count - start }
    package var first: Element? { isEmpty ? nil : elements[start] }
    package var last: Element? { isEmpty ? nil : elements.last }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            start += 1
            // Removing only when half is used up moves each element at most twice.
            if start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
