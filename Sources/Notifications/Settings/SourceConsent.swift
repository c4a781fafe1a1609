package import Base

/// What an application agrees to when it registers, and no payload can ask for by itself.
package struct SourceConsent: Equatable, Sendable {
    /// It takes answers that are typed into a notification.
    package var takesReplies = false
    /// What links may begin with, beside `https`; never what is no place but a file or a program.
    package var linkSchemes: Set<String> = []

    package init() {}

    /// From the members `replies` and `link_schemes`.
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
