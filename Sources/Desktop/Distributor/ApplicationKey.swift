import Base
import WebPush

/// The VAPID key of an application server, as applications pass it: a point of P-256 in 87
/// characters of base64url.
package struct ApplicationKey: Hashable, Sendable {
    package static let length = 87

    package let text: String

    package init?(_ text: String) {
        guard text.utf8.count == Self.length, UncompressedPoint(base64URL: text) != nil else {
            return nil
        }
        self.text = text
    }
}
