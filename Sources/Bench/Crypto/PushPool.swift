import Base
import Crypto
import WebPush

/// Different pushes for one receiver, each from a sender key of its own as in life.
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

    /// Every contender must come to the text that was encrypted, whose length stands for it.
    func check(_ length: Int) throws {
        guard length == textLength else { throw WrongText() }
    }
}
