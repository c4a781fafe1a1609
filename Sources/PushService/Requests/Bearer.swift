import Base
import Crypto
package import HTTP
package import Mailbox

extension RequestHead {
    /// The range of the secret in `Authorization: Bearer …` (RFC 6750 section 2.1).
    package var bearer: Range<Int>? {
        guard let field = fields.firstValue(of: "authorization") else { return nil }
        let held = bytes
        let start = field.lowerBound + "bearer ".utf8.count
        guard start < field.upperBound,
            held.span.extracting(field.lowerBound..<start).equalsIgnoringCase("bearer ")
        else { return nil }
        return start..<field.upperBound
    }
}

extension StoreIndex {
    /// The credential with this secret; nil if there is none.
    package func credential(secret text: Span<UInt8>) -> DeviceCredential? {
        guard let secret = Base64URL.decode(text), secret.count == DeviceCredential.secretLength,
            var hash = try? SHA256(), let bytes = try? hash.digest(of: secret.span)
        else { return nil }
        return credential(Digest(bytes))
    }
}
