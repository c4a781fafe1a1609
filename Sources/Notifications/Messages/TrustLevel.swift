/// How a payload came. What came in a weaker way cannot change what came in a stronger one. Stored by
/// number.
package enum TrustLevel: UInt8, Comparable, Sendable {
    case clear = 0
    case webpush = 1
    case mtproto = 2

    /// As clients read it.
    var name: String {
        switch self {
        case .clear: "clear"
        case .webpush: "webpush"
        case .mtproto: "mtproto"
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
