import Crypto
import WebPush

/// Our decryption of a pool, from the received body and fields to the text.
final class OurDecryption {
    private let pool: PushPool
    private let fields: [(encryption: [UInt8], cryptoKey: [UInt8])]
    private var decryptor: Decryptor

    init(_ pool: PushPool) throws {
        let decryptor = try Decryptor()
        self.pool = pool
        self.decryptor = decryptor
        fields = pool.pushes.map { push in
            func value(_ name: String) -> [UInt8] {
                Array((push.fields.first { $0.name == name }?.value ?? "").utf8)
            }
            return (value("Encryption"), value("Crypto-Key"))
        }
    }

    func decrypt(_ item: Int) throws {
        let push = pool.pushes[item]
        let parameters =
            switch push.encoding {
            case .aes128gcm: try EncryptionParameters(aes128gcm: push.body.span)
            case .aesgcm:
                try EncryptionParameters(
                    aesgcm: push.body.span, encryption: fields[item].encryption,
                    cryptoKey: fields[item].cryptoKey)
            }
        let text = try decryptor.decrypt(push.body.span, parameters, keys: pool.keys)
        try pool.check(text.count)
    }
}
