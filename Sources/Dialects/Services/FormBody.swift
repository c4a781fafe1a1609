import Base

/// A form with one field, `payload`, which is how GitHub sends its JSON if nobody asks for another
/// type.
enum FormBody {
    private static let start = Array("payload=".utf8)

    /// Nil for any other body.
    static func json(_ body: [UInt8]) -> [UInt8]? {
        guard body.starts(with: start) else { return nil }
        let value = body.dropFirst(start.count).prefix { $0 != UInt8(ascii: "&") }
        return PercentEncoding.decoded(value, inForm: true)
    }
}
