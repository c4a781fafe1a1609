package import Base

/// What an application allows when it registers; a payload cannot grant this itself.
package struct SourceConsent: Equatable, Sendable {
    /// It accepts replies typed into a notification.
    package var takesReplies = false
    /// The link schemes allowed besides `https`. Those that open files or run programs cannot be
    /// allowed.
    package var linkSchemes: Set<String> = []

    package init() {}

    /// Reads the members `replies` and `link_schemes`.
    package init(_ node: JSONNode) {
        takesReplies = node["replies"]?.bool ?? false
        let schemes = (node["link_schemes"]?.elements ?? []).compactMap(\.text)
        linkSchemes = Set(schemes.filter(Self.mayAllow))
    }

    package static func mayAllow(_ scheme: String) -> Bool {
        URLScheme.isScheme(scheme) && !barred.contains(scheme)
    }

    private static let barred: Set = ["file", "javascript", "data", "vbscript"]

    package func allows(_ scheme: String) -> Bool {
        scheme == "https" || linkSchemes.contains(scheme)
    }
}
