import Base
import Crypto
package import EngineHost
import Notifications

extension HostedEngine.Cryptography {
    package static let openSSL = HostedEngine.Cryptography(
        secret: { $0.map(encryption) ?? drawn() }, open: { open($0, $1) })

    private static func encryption(_ bytes: [UInt8]) -> RegisteredDevice.Encryption? {
        guard let secret = secret(bytes) else { return nil }
        return RegisteredDevice.Encryption(keyID: secret.keyID, secret: bytes)
    }

    /// Telegram's clients draw again until the key's id cannot be mistaken for a user id.
    private static let smallestKeyID: UInt64 = 10_000_000_000_000

    /// Nil without randomness.
    private static func drawn() -> RegisteredDevice.Encryption? {
        // Each draw fails with a probability of one in a million.
        for _ in 0..<8 {
            guard let bytes = try? Random.bytes(count: MTProtoSecret.length),
                let drawn = encryption(bytes)
            else { return nil }
            if drawn.keyID.magnitude >= smallestKeyID { return drawn }
        }
        return nil
    }

    private static func open(
        _ sealed: [UInt8], _ encryption: RegisteredDevice.Encryption
    ) -> [UInt8]? {
        // Nobody is told why a payload cannot be decrypted.
        try? secret(encryption.secret)?.decrypt(sealed.span)
    }

    /// A library fault counts as no secret: the payload is refused and nothing is shown.
    private static func secret(_ bytes: [UInt8]) -> MTProtoSecret? {
        try? MTProtoSecret(Secret(bytes.span))
    }
}
