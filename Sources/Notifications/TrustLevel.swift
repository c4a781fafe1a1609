/// How a payload came. What came in a weaker way cannot change what came in a stronger one.
package enum TrustLevel: UInt8, Comparable, Sendable {
    case clear
    case webpush
    case mtproto

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
