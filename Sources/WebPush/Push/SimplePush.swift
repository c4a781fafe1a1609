import Base

/// The body of a simple push: the form field `version=N`.
struct SimplePush {
    /// Nil if it is not a number; the push still says that something is new.
    let version: UInt64?

    /// Nil unless the body starts like one.
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
