import Base
package import WebPush

/// What a browser answers that was asked for a passkey (Web Authentication, level 3): read and judged,
/// but for the signature.
package struct PasskeyAnswer: Sendable, Confidential {
    /// What was asked for.
    package enum Step: Sendable {
        case make, use

        fileprivate var type: String {
            switch self {
            case .make: "webauthn.create"
            case .use: "webauthn.get"
            }
        }
    }

    /// What the answer must say. The page has one name for this, whatever others the server has.
    package struct Terms: Sendable, Confidential {
        let step: Step
        let challenge: String
        let origin: String
        /// The hash of the host.
        let host: [UInt8]

        package init(_ step: Step, challenge: String, origin: String, host: [UInt8]) {
            (self.step, self.challenge, self.origin, self.host) = (step, challenge, origin, host)
        }
    }

    /// How often the key was used, by its own count; 0 for one that does not count.
    package let count: UInt32
    /// Of a key that was just made.
    package let made: (id: [UInt8], key: UncompressedPoint)?

    /// Nil for what is not an answer to `terms`, or not from a person whom the key has verified.
    package init?(authenticator data: [UInt8], client json: [UInt8], to terms: Terms) {
        guard Self.answers(json, terms), let read = AuthenticatorData(data),
            read.host.span.isEqualSecretly(to: terms.host.span), read.isVerified
        else { return nil }
        guard terms.step == .use || read.made != nil else { return nil }
        (count, made) = (read.count, read.made)
    }

    private static func answers(_ json: [UInt8], _ terms: Terms) -> Bool {
        guard let client = try? JSONDocument(json).root,
            let challenge = client["challenge"]?.text
        else { return false }
        return client["type"]?.text == terms.step.type && client["origin"]?.text == terms.origin
            && client["crossOrigin"]?.bool != true
            && Array(challenge.utf8).span.isEqualSecretly(to: Array(terms.challenge.utf8).span)
    }
}

/// What the authenticator has signed (section 6.1).
struct AuthenticatorData: Confidential {
    private static let (present, verified, attested): (UInt8, UInt8, UInt8) = (0x01, 0x04, 0x40)
    /// The hash of the host, flags and count.
    private static let headLength = 37
    /// The model of the authenticator, and the length of the id that follows.
    private static let modelLength = 18
    private static let longestID = 1_023
    /// A key of ES256 in COSE's canonical form: the pairs 1: 2, 3: -7, -1: 1, -2: x, -3: y.
    private static let beforeX: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20]
    private static let beforeY: [UInt8] = [0x22, 0x58, 0x20]

    let host: [UInt8]
    let isVerified: Bool
    let count: UInt32
    let made: (id: [UInt8], key: UncompressedPoint)?

    init?(_ data: [UInt8]) {
        guard data.count >= Self.headLength else { return nil }
        let flags = data[32]
        host = Array(data[..<32])
        isVerified = flags & Self.present != 0 && flags & Self.verified != 0
        count = data.span.halfWord(at: 33)
        guard flags & Self.attested != 0 else {
            made = nil
            return
        }
        guard let made = Self.made(data[Self.headLength...]) else { return nil }
        self.made = made
    }

    /// Extensions may follow, which nobody asked for.
    private static func made(_ data: ArraySlice<UInt8>) -> (id: [UInt8], key: UncompressedPoint)? {
        guard data.count > modelLength else { return nil }
        let start = data.startIndex + modelLength
        let length = Int(data[start - 2]) << 8 | Int(data[start - 1])
        guard (1...longestID).contains(length), data.endIndex - start > length else { return nil }
        let id = Array(data[start..<start + length])
        var rest = data[(start + length)...]
        func take(_ expected: [UInt8]) -> Bool {
            guard rest.starts(with: expected) else { return false }
            rest = rest.dropFirst(expected.count)
            return true
        }
        guard take(beforeX), rest.count >= 32 else { return nil }
        let x = rest.prefix(32)
        rest = rest.dropFirst(32)
        guard take(beforeY), rest.count >= 32 else { return nil }
        let point = [0x04] + x + rest.prefix(32)
        return UncompressedPoint(point.span).map { (id, $0) }
    }
}
