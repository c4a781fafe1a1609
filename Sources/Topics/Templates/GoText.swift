import Base
import Notifications

/// Texts as Go changes them.
enum GoText {
    /// The first letter of each word as a capital, the others small.
    static func title(_ text: String) -> String {
        var result = ""
        var isInside = false
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            let isLetter = properties.isAlphabetic || properties.numericType != nil
            result += isInside ? properties.lowercaseMapping : properties.titlecaseMapping
            // An apostrophe inside a word does not end it.
            isInside = isLetter || isInside && (scalar == "'" || scalar == "\u{2019}")
        }
        return result
    }

    static func trimmed(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        while rest.first?.properties.isWhitespace == true { rest = rest.dropFirst() }
        while rest.last?.properties.isWhitespace == true { rest = rest.dropLast() }
        return String(rest)
    }

    /// The length of the part, if the text begins with it.
    static func starts(_ text: String, _ part: String) -> Int? {
        text.utf8.starts(with: part.utf8) ? part.utf8.count : nil
    }

    static func ends(_ text: String, _ part: String) -> Int? {
        let count = part.utf8.count
        return text.utf8.suffix(count).elementsEqual(part.utf8) ? count : nil
    }

    /// Some of the bytes. A character that was cut is left out.
    static func part(_ range: Range<Int64>, of text: String) -> String {
        let start = SenderFields.cut(Array(text.utf8), Int(range.upperBound))
        // The bytes after the first of a character begin with the bits 10.
        let rest = start.utf8.dropFirst(Int(range.lowerBound)).drop { $0 & 0xC0 == 0x80 }
        return String(Substring(rest))
    }

    /// What stands between the places of a text that is not empty.
    static func pieces(
        of text: String, at separator: String, _ budget: inout TemplateBudget
    ) throws(TemplateFailure) -> [String] {
        let (bytes, mark) = (Array(text.utf8), Array(separator.utf8))
        guard let first = mark.first else { throw .execution }
        // The separator may almost begin at every byte.
        let (work, isOver) = bytes.count.multipliedReportingOverflow(by: 1 + mark.count / 16)
        guard !isOver else { throw .execution }
        try budget.pay(bytes: work)
        var pieces: [String] = []
        var (start, index) = (0, 0)
        while index + mark.count <= bytes.count {
            if bytes[index] == first, bytes[index..<index + mark.count].elementsEqual(mark) {
                try budget.payStep()
                pieces.append(String(decoding: bytes[start..<index], as: UTF8.self))
                index += mark.count
                start = index
            } else {
                index += 1
            }
        }
        return pieces + [String(decoding: bytes[start...], as: UTF8.self)]
    }

    /// As a text in Go's source.
    static func quoted(_ text: String) -> String {
        let names: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t",
        ]
        var result = "\""
        for scalar in text.unicodeScalars {
            if let name = names[scalar] {
                result += name
            } else if scalar.value < 0x20 || scalar.value == 0x7F {
                result += "\\x" + UInt8(scalar.value).hexadecimal
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
