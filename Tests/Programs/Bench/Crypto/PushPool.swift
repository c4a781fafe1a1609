import Crypto
import WebPush

/// Different pushes for one receiver, each with its own sender key, as in practice.
final class PushPool {
    let keys: ReceiverKeys
    let pushes: [EncryptedPush]
    let textLength: Int

    init(textLength: Int, encoding: ContentEncoding) throws {
        let keys = try ReceiverKeys.generate()
        var encryptor = try Encryptor()
        let pushes = try (0..<Contest.itemCount).map { _ in
            let text = try Random.bytes(count: textLength)
            return try encryptor.encrypt(
                text.span, for: keys.privateKey.publicKey, auth: keys.auth, encoding: encoding)
        }
        self.keys = keys
        self.pushes = pushes
        self.textLength = textLength
    }

    struct WrongText: Error {}

    /// Checks that a contender found the encrypted text, judged by its length.
    func check(_ length: Int) throws {
        guard length == textLength else { throw WrongText() }
    }
}
