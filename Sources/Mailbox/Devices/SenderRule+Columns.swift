import Base
import WebPush

/// The sender rule as columns of the subscription table.
extension SenderRule {
    var number: Int64 {
        switch self {
        case .anyone: 0
        case .key: 1
        case .firstKey: 2
        }
    }

    var keyHash: KeyHash? {
        if case .key(let hash) = self { hash } else { nil }
    }

    /// Nil for values that no version ever wrote.
    init?(number: Int64, keyHash: [UInt8]) {
        switch number {
        case 0: self = .anyone
        case 1:
            guard keyHash.count == 16 else { return nil }
            let bytes = keyHash.span
            self = .key(KeyHash(high: bytes.word(at: 0), low: bytes.word(at: 8)))
        case 2: self = .firstKey
        default: return nil
        }
    }
}

extension KeyHash {
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}
