package import Delivery
import SQLite
package import WebPush

/// Says that there is something to fetch. One signal stands for `count` pushes.
package struct FetchSignal: Equatable, Sendable {
    /// Seconds a signal is kept if the sender gives no TTL.
    static let lifetime: UInt32 = 28 * 86_400

    package let id: MessageID
    package internal(set) var count: Int
    /// The version in the last simple push, if it had one. Versions are not compared.
    package internal(set) var version: UInt64?
    /// Milliseconds since 1970.
    package internal(set) var arrival: Int64
    package internal(set) var expiry: StoreTime
    /// How many of the counted pushes the engine reports to its clients itself.
    package internal(set) var told: Int

    package init(
        id: MessageID, version: UInt64?, arrival: Int64, expiry: StoreTime, told: Int = 0
    ) {
        self.init(
            id: id, count: 1, version: version, arrival: arrival, expiry: expiry, told: told)
    }

    init(
        id: MessageID, count: Int, version: UInt64?, arrival: Int64, expiry: StoreTime, told: Int
    ) {
        self.id = id
        self.count = count
        self.version = version
        self.arrival = arrival
        self.expiry = expiry
        self.told = told
    }
}

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

/// The fetch signals of a registration.
enum FetchSignalRows {
    static func load(
        device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> FetchSignals {
        let select = try connection.statement(
            """
            SELECT in_flight, id, count, version, arrival, expires, told FROM fetch_signal
            WHERE device = ?1
            """, device)
        var (inFlight, waiting): (FetchSignal?, FetchSignal?)
        while try select.step() {
            guard let id = select.withBytes(1, { MessageID($0) }) else { continue }
            let signal = FetchSignal(
                id: id, count: Int(select.integer(2)), version: UInt64(select.text(3)),
                arrival: select.integer(4), expiry: StoreTime(milliseconds: select.integer(5)),
                told: Int(select.integer(6)))
            if select.integer(0) == 1 { inFlight = signal } else { waiting = signal }
        }
        return FetchSignals(inFlight: inFlight, waiting: waiting)
    }

    static func save(
        _ signals: FetchSignals, device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) {
        try connection.run("DELETE FROM fetch_signal WHERE device = ?1", device)
        for (signal, isInFlight) in [(signals.inFlight, true), (signals.waiting, false)] {
            guard let signal else { continue }
            // The version as text: it may be more than SQLite's integers hold.
            try connection.run(
                "INSERT INTO fetch_signal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", device,
                isInFlight ? 1 as Int64 : 0, signal.id.bytes, Int64(signal.count),
                signal.version.map { "\($0)" }, signal.arrival, signal.expiry.milliseconds,
                Int64(signal.told))
        }
    }
}
