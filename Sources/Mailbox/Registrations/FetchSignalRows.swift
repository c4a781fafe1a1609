import Delivery
import SQLite
import WebPush

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
