import Base

/// The time of a recorded story. It stands still, except for pushes without a date; dates are
/// relative to the beginning.
struct ReplayClock {
    /// The time that `T` stands for; the value is arbitrary.
    static let start: Int64 = 1_800_000_000
    static let now = Double(start + present)
    private static let present: Int64 = 60

    /// Seconds that the recorder waited for answers that TDLib withheld. Only the order of pushes
    /// without a date depends on them.
    private var waited: Int64 = 0

    /// The time of a push that comes without a date.
    var undated: Double { Self.now + Double(waited) }

    /// The longest wait that is still told from a date of the story.
    private static let longestWait: Int64 = 5

    mutating func waitForAnswer() {
        waited = min(waited + 1, Self.longestWait)
    }

    /// Dates that the story contains. The current time is written relative to `T` only if it is one
    /// of them.
    private var named: Set<Int64> = []

    /// A payload with numbers as its dates.
    mutating func payload(_ node: JSONNode) -> [UInt8] {
        var bytes: [UInt8] = []
        write(node, into: &bytes)
        return bytes
    }

    private mutating func write(_ node: JSONNode, into bytes: inout [UInt8]) {
        switch node.kind {
        case .object:
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in node.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(contentsOf: JSONText.quoted(member.name).utf8)
                bytes.append(UInt8(ascii: ":"))
                if let date = date(member.name, member.value) {
                    bytes.append(contentsOf: String(date).utf8)
                } else {
                    write(member.value, into: &bytes)
                }
            }
            bytes.append(UInt8(ascii: "}"))
        case .array:
            bytes.append(UInt8(ascii: "["))
            for (index, element) in node.elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        default: bytes.append(contentsOf: node.source)
        }
    }

    /// The time of a `T+…` date; nil for anything else.
    private mutating func date(_ name: String, _ node: JSONNode) -> Int64? {
        guard Self.dates.contains(name), let text = node.text,
            text.hasPrefix("T+") || text.hasPrefix("T-"),
            let offset = Int64(text.dropFirst(text.hasPrefix("T+") ? 2 : 1))
        else { return nil }
        let (date, isTooFar) = Self.start.addingReportingOverflow(offset)
        guard !isTooFar else { return nil }
        named.insert(offset)
        return date
    }

    private static let dates: Set<String> = ["date", "edit_date"]

    /// The JSON as the recordings have it: each `date` relative to `T`, and without members that
    /// TDLib does not have.
    func relative(_ json: String) -> String {
        guard let document = try? JSONDocument(Array(json.utf8)) else { return json }
        var writer = JSONWriter()
        write(document.root, to: &writer)
        return writer.text
    }

    private func write(_ node: JSONNode, to writer: inout JSONWriter) {
        switch node.kind {
        case .object:
            writer.object { writer in
                for (name, value) in node.members where !name.hasPrefix("bellwire.") {
                    writer.name(text: name)
                    if name == "date", let date = relative(date: value) {
                        writer.string(date)
                    } else {
                        write(value, to: &writer)
                    }
                }
            }
        case .array:
            writer.array { writer in
                for element in node.elements { write(element, to: &writer) }
            }
        default: writer.raw(String(decoding: node.source, as: UTF8.self))
        }
    }

    private func relative(date node: JSONNode) -> String? {
        guard node.kind == .number, let date = node.integer else { return nil }
        let (offset, isTooFar) = date.subtractingReportingOverflow(Self.start)
        if isTooFar { return nil }
        let isPresent = (Self.present...Self.present + waited).contains(offset)
        if isPresent, !named.contains(offset) { return "now" }
        return offset < 0 ? "T\(offset)" : "T+\(offset)"
    }
}
