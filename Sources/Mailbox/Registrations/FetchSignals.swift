package import Delivery
package import WebPush

/// The fetch signals of one registration: at most one that was handed out, and one that waits.
///
/// What has not been handed out yet takes in what comes; what has been handed out does not, because
/// whoever has it may have looked already.
package struct FetchSignals: Equatable, Sendable {
    package private(set) var inFlight: FetchSignal?
    package private(set) var waiting: FetchSignal?

    package init(inFlight: FetchSignal? = nil, waiting: FetchSignal? = nil) {
        self.inFlight = inFlight
        self.waiting = waiting
    }

    package mutating func arrived(_ signal: FetchSignal) {
        guard var merged = waiting else {
            waiting = signal
            return
        }
        merged.count += signal.count
        merged.told += signal.told
        merged.version = signal.version
        merged.arrival = signal.arrival
        merged.expiry = max(merged.expiry, signal.expiry)
        waiting = merged
    }

    /// The one to hand out now: one that was handed out before and not confirmed comes again.
    package mutating func take() -> FetchSignal? {
        if inFlight == nil { swap(&inFlight, &waiting) }
        return inFlight
    }

    /// Whoever had it handed out to has it.
    package mutating func confirm(_ id: MessageID) {
        if inFlight?.id == id { inFlight = nil }
    }

    package mutating func expire(at now: StoreTime) {
        if let signal = inFlight, signal.expiry <= now { inFlight = nil }
        if let signal = waiting, signal.expiry <= now { waiting = nil }
    }
}
