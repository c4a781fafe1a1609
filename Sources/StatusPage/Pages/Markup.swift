import Base

/// HTML. What is put into a literal is escaped unless it is `Markup`, so no text from outside can
/// become an element or end an attribute.
package struct Markup: ExpressibleByStringInterpolation, Equatable, Sendable {
    package private(set) var source: String

    package init(stringLiteral source: String) { self.source = source }
    package init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    /// Letters and digits of ASCII, and what no reader of HTML looks at.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            false
        default: (0x20..<0x7F).contains(byte)
        }
    }

    package static func += (left: inout Markup, right: Markup) { left.source += right.source }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            source.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { source += literal }
        package mutating func appendInterpolation(_ markup: Markup) { source += markup.source }
        package mutating func appendInterpolation(_ list: [Markup]) {
            for markup in list { source += markup.source }
        }
        package mutating func appendInterpolation(_ number: Int) { source += "\(number)" }

        package mutating func appendInterpolation(_ text: String) {
            // Nearly all texts are like this.
            guard !text.utf8.allSatisfy(Markup.isPlain) else { return source += text }
            for scalar in Printable.text(text).unicodeScalars {
                switch scalar {
                case "&": source += "&amp;"
                case "<": source += "&lt;"
                case ">": source += "&gt;"
                case "\"": source += "&quot;"
                case "'": source += "&#39;"
                default: source.unicodeScalars.append(scalar)
                }
            }
        }
    }
}
