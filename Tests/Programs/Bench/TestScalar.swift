import Crypto

/// The bytes are not a valid private key.
struct BadScalar: Error {}

/// Private keys that would reveal a multiplication that is not constant-time.
enum TestScalar: String, CaseIterable {
    /// One bit, the lowest of the highest 64-bit word, so that OpenSSL's form of the number is not
    /// shorter.
    case low
    /// One bit, at the top.
    case top
    /// One bit in every 64-bit word.
    case sparse
    /// Nearly all bits.
    case dense
    /// n−1, the largest there is.
    case largest
    case random

    static let fixed: [TestScalar] = [.low, .top, .sparse, .dense, .largest]

    /// Big-endian, in 1…n−1; different at each call for `random`.
    var bytes: [UInt8] {
        get throws {
            switch self {
            case .low: [UInt8](repeating: 0, count: 7) + [1] + [UInt8](repeating: 0, count: 24)
            case .top: [0x80] + [UInt8](repeating: 0, count: 31)
            case .sparse: (0..<32).map { $0 % 8 == 0 ? 0x01 : 0 }
            case .dense: [0x7F] + [UInt8](repeating: 0xFF, count: 31)
            case .largest:
                // FIPS 186-4, section D.1.2.3: the order of the curve, less one.
                [UInt8](repeating: 0xFF, count: 4) + [UInt8](repeating: 0, count: 4)
                    + [UInt8](repeating: 0xFF, count: 8)
                    + [
                        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84,
                        0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x50,
                    ]
            case .random:
                // The first byte keeps it below n.
                try [UInt8.random(in: 0..<0xFF)] + Random.bytes(count: 31)
            }
        }
    }
}
