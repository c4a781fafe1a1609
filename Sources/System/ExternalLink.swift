import Base

/// A link that is safe to pass to another program: it has no spaces and begins with a scheme, so
/// that no program mistakes it for an option.
package struct ExternalLink: Equatable, Sendable {
    package let text: String
    /// In lower case.
    package let scheme: String

    private static let limit = 2_048

    package init?(_ text: String) {
        let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isVisible, text.utf8.count <= Self.limit, let scheme = URLScheme.of(text) else {
            return nil
        }
        self.text = text
        self.scheme = scheme
    }
}
