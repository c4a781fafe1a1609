/// How well a payload was protected. A weaker payload cannot change what a stronger one has set. It
/// is stored as its number.
package enum TrustLevel: UInt8, Comparable, Sendable {
    case clear = 0
    case webpush = 1
    case mtproto = 2

    package var name: String {
        switch self {
        case .clear: "clear"
        case .webpush: "webpush"
        case .mtproto: "mtproto"
        }
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
