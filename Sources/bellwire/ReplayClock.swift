import Base

/// The time of a recorded story: it stands still, and dates are told from its beginning.
struct ReplayClock {
    /// What `T` stands for; any moment will do.
    static let start: Int64 = 1_800_000_000
    static let now = Double(start + present)
    private static let present: Int64 = 60

    /// Dates that the story itself has named; the present is told as one only if it was.
    private var named: Set<Int64> = []

    /// A payload with its dates as numbers.
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

    /// The moment that a date names by what stands behind `T+`; nil for whatever else it is.
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

    /// JSON text in which every `date` is told as the story tells it.
    func told(_ json: String) -> String {
        var result = ""
        var rest = json[...]
        while let range = Self.firstDate(in: rest) {
            result += rest[..<range.lowerBound]
            let isWhole = rest[range.upperBound...].utf8.first.map { !".eE".utf8.contains($0) }
            let date = isWhole == false ? nil : Int64(rest[range])
            if let offset = date?.subtractingReportingOverflow(Self.start), !offset.overflow {
                result += "\"\(name(of: offset.partialValue))\""
            } else {
                result += rest[range]
            }
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    private func name(of offset: Int64) -> String {
        if offset == Self.present, !named.contains(offset) { return "now" }
        return offset < 0 ? "T\(offset)" : "T+\(offset)"
    }

    /// Inside a string the quotes would be escaped, so this is a member's name.
    private static func firstDate(in text: Substring) -> Range<Substring.Index>? {
        let pattern = Array("\"date\":".utf8)
        let bytes = text.utf8
        var index = bytes.startIndex
        while let quote = bytes[index...].firstIndex(of: pattern[0]) {
            if bytes[quote...].starts(with: pattern) {
                let start = bytes.index(quote, offsetBy: pattern.count)
                let end = bytes[start...].firstIndex { !($0.isDigit || $0 == UInt8(ascii: "-")) }
                return start..<(end ?? bytes.endIndex)
            }
            index = bytes.index(after: quote)
        }
        return nil
    }
}
