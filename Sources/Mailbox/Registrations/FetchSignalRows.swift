import Delivery
import SQLite
import WebPush

/// The fetch signals of a registration.
enum FetchSignalRows {
    static func load(
        device: UInt32, on connection: borrowing Connection
    ) throws(StoreFault) -> FetchSignals {
        let select = try StoreStatement(
            """
            SELECT in_flight, id, count, version, arrival, expires, told FROM fetch_signal
            WHERE device = ?1
            """, on: connection)
        try select.bind(Int64(device), at: 1)
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
        let delete = try StoreStatement(
            "DELETE FROM fetch_signal WHERE device = ?1", on: connection)
        try delete.bind(Int64(device), at: 1)
        try delete.run()
        let insert = try StoreStatement(
            "INSERT INTO fetch_signal VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", on: connection)
        for (signal, isInFlight) in [(signals.inFlight, true), (signals.waiting, false)] {
            guard let signal else { continue }
            try insert.bind(Int64(device), at: 1)
            try insert.bind(isInFlight ? 1 : 0, at: 2)
            try insert.bind(signal.id.bytes, at: 3)
            try insert.bind(Int64(signal.count), at: 4)
            // As text: it may be more than SQLite's integers hold.
            if let version = signal.version {
                try insert.bind(text: "\(version)", at: 5)
            } else {
                try insert.bindNull(at: 5)
            }
            try insert.bind(signal.arrival, at: 6)
            try insert.bind(signal.expiry.milliseconds, at: 7)
            try insert.bind(Int64(signal.told), at: 8)
            try insert.run()
        }
    }
}
