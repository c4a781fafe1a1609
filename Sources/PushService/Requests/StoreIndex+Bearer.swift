import Base
import Crypto
package import Mailbox

extension StoreIndex {
    /// The credential with this secret; nil if there is none.
    package func credential(secret text: Span<UInt8>) -> DeviceCredential? {
        guard let secret = Base64URL.decode(text), secret.count == DeviceCredential.secretLength,
            var hash = try? SHA256(), let bytes = try? hash.digest(of: secret.span)
        else { return nil }
        return credential(Digest(bytes))
    }
}
