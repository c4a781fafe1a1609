import Base
import CBench
import Crypto

/// Encrypted payloads as Telegram sends them with one secret.
final class MTProtoPayloads {
    private static let headerLength = 24

    private let secret: MTProtoSecret
    private let payloads: [[UInt8]]

    init(textLength: Int) throws {
        let bytes = try Random.bytes(count: MTProtoSecret.length)
        guard let secret = MTProtoSecret(Secret(bytes.span)) else {
            throw Yardstick.Unavailable()
        }
        self.secret = secret
        // At least 12 bytes, and length (4), text and padding are whole blocks.
        let padding = 12 + (16 - (4 + textLength + 12) % 16) % 16
        let length = Self.headerLength + 4 + textLength + padding
        payloads = try (0..<Contest.itemCount).map { _ in
            let text = try Random.bytes(count: textLength)
            let payload = [UInt8](unsafeUninitializedCapacity: length) { output, count in
                cbench_mtproto_seal(bytes, text, text.count, padding, output.baseAddress)
                count = length
            }
            return Base64URL.encode(payload.span)
        }
    }

    func decrypt(_ item: Int) throws {
        let payload = payloads[item]
        _ = try secret.decrypt(payload.span)
    }
}
