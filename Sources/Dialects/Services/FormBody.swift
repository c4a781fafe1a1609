import Base

/// A form with one field, `payload`, which is how GitHub sends its JSON if nobody asks for another
/// type.
enum FormBody {
    private static let start = Array("payload=".utf8)

    /// Nil for any other body.
    static func json(_ body: [UInt8]) -> [UInt8]? {
        guard body.starts(with: start) else { return nil }
        var json: [UInt8] = []
        json.reserveCapacity(body.count)
        var index = start.count
        while index < body.count, body[index] != UInt8(ascii: "&") {
            switch body[index] {
            case UInt8(ascii: "+"): json.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard index + 2 < body.count, let high = body[index + 1].hexValue,
                    let low = body[index + 2].hexValue
                else { return nil }
                json.append(high << 4 | low)
                index += 2
            default: json.append(body[index])
            }
            index += 1
        }
        return json
    }
}
