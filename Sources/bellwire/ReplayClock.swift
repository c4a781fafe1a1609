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
                write(member.value, into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .array:
            bytes.append(UInt8(ascii: "["))
            for (index, element) in node.elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element, into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        default:
            if let offset = Self.offset(node) {
                named.insert(offset)
                bytes.append(contentsOf: String(Self.start + offset).utf8)
            } else {
                bytes.append(contentsOf: node.source)
            }
        }
    }

    /// What stands behind `T+`, if that is what the text is.
    private static func offset(_ node: JSONNode) -> Int64? {
        guard let text = node.text, text.hasPrefix("T+") || text.hasPrefix("T-") else {
            return nil
        }
        return Int64(text.dropFirst(text.hasPrefix("T+") ? 2 : 1))
    }

    /// JSON text in which every `date` is told as the story tells it.
    func told(_ json: String) -> String {
        var result = ""
        var rest = json[...]
        while let range = Self.firstDate(in: rest) {
            result += rest[..<range.lowerBound]
            if let date = Int64(rest[range]) {
                result += "\"\(name(of: date - Self.start))\""
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
