package import Base

/// A target outside the public internet that registrations from the network may call back.
package enum CallbackAllowance: Equatable, Sendable {
    case addresses(AddressBlock)
    case socket(path: String)

    init?(_ text: String) {
        if text.hasPrefix("unix:/") {
            self = .socket(path: String(text.dropFirst(5)))
        } else if let block = AddressBlock(text) {
            self = .addresses(block)
        } else {
            return nil
        }
    }
}
