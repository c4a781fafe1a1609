package import Delivery
package import WebPush

/// The fetch signals of one registration: at most one handed out and one waiting.
///
/// A new signal is merged into the waiting one. It is not merged into the one handed out, because
/// the receiver may have fetched already.
package struct FetchSignals: Equatable, Sendable {
    package private(set) var inFlight: FetchSignal?
    package private(set) var waiting: FetchSignal?

    package init(inFlight: FetchSignal? = nil, waiting: FetchSignal? = nil) {
        self.inFlight = inFlight
        self.waiting = waiting
    }

    package mutating func add(_ signal: FetchSignal) {
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

    /// The signal to hand out now. One that was handed out but not confirmed is handed out again.
    package mutating func handOut() -> FetchSignal? {
        if inFlight == nil { swap(&inFlight, &waiting) }
        return inFlight
    }

    /// The receiver has the signal.
    package mutating func confirm(_ id: MessageID) {
        if inFlight?.id == id { inFlight = nil }
    }

    package mutating func expire(at now: StoreTime) {
        if let signal = inFlight, signal.expiry <= now { inFlight = nil }
        if let signal = waiting, signal.expiry <= now { waiting = nil }
    }
}
