import Base

/// A line of the log in journald's native protocol: a datagram with a field on each line
/// (systemd.io/JOURNAL_NATIVE_PROTOCOL).
struct JournalEntry {
    /// Where journald takes such datagrams.
    static let socket = "/run/systemd/journal/socket"

    private(set) var bytes: [UInt8] = []

    init(_ line: LogLine) {
        add("MESSAGE", line.message)
        add("PRIORITY", "\(line.level.rawValue)")
        add("SYSLOG_IDENTIFIER", "bellwire")
        add("BELLWIRE_EVENT", "\(line.event)")
        for (name, value) in line.fields { add(Self.name(of: name), LogLine.shown(value)) }
    }

    /// A printable value has no line break, so it cannot begin a field of its own.
    private mutating func add(_ name: String, _ value: String) {
        bytes += name.utf8
        bytes.append(UInt8(ascii: "="))
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The names of fields have capital letters, digits and underscores. The prefix keeps ours apart
    /// from those that journald and others know.
    private static func name(of field: StaticString) -> String {
        let letters = "\(field)".utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte & 0xDF
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return "BELLWIRE_" + String(decoding: letters, as: UTF8.self)
    }
}
