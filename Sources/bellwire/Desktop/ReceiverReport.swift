import Base
import Bus

/// The receivers of the desktop service as text.
struct ReceiverReport {
    let name: String
    /// A word of `ReceiverState.Condition`.
    let state: String
    /// Seconds since 1970.
    let since: Int
    let reason: String

    init(_ value: BusValue) {
        let members = value.members ?? [:]
        name = members["receiver"]?.text ?? ""
        state = members["state"]?.text ?? ""
        since = members["since"]?.integer.map(Int.init) ?? 0
        reason = members["reason"]?.text ?? ""
    }

    var row: [String] {
        var words = Printable.text(state) + " since " + LocalTime.text(since)
        if !reason.isEmpty { words += ": " + Printable.text(reason) }
        return ["receiver", Printable.text(name), words]
    }

    func append(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("receiver", name)
            writer.member("state", state)
            writer.member("since", since)
            if !reason.isEmpty { writer.member("reason", reason) }
        }
    }
}
