import Base

/// The body of a simple push: `version=N`, as a form has it.
struct SimplePush {
    /// Nil if it is no number; that something is new is known all the same.
    let version: UInt64?

    /// Nil unless the body begins as one.
    init?(_ body: Span<UInt8>) {
        let name: StaticString = "version="
        let start = name.utf8CodeUnitCount
        guard body.count >= start, body.extracting(0..<start).elementsEqual(name) else {
            return nil
        }
        var end = start
        while end < body.count, body[end].isDigit { end += 1 }
        let isWhole = end == body.count || body[end] == UInt8(ascii: "&") || body[end] < 0x21
        version = isWhole ? UInt64(decimalDigits: body.extracting(start..<end)) : nil
    }
}
