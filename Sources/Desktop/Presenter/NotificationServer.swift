/// The capabilities of the current owner of `org.freedesktop.Notifications`.
package struct NotificationServer: Equatable, Sendable {
    package let identity: ServerIdentity
    package let name: String
    package let vendor: String
    package let specVersion: String
    package let capabilities: Set<String>

    package init(
        identity: ServerIdentity, name: String, vendor: String, specVersion: String,
        capabilities: [String]
    ) {
        self.identity = identity
        self.name = name
        self.vendor = vendor
        self.specVersion = specVersion
        self.capabilities = Set(capabilities)
    }

    var showsBodies: Bool { capabilities.contains("body") }
    /// How the server reads the body. Summaries are never markup.
    var reading: Reading {
        if capabilities.contains("body-markup") { return .markup }
        // dunst renders markup by default but announces it only if configured.
        return name == "dunst" ? .unknown : .text
    }

    enum Reading {
        case text
        case markup
        /// The server may read it as text or as markup; it does not say which.
        case unknown
    }

    /// The shortest time after which a notification expires, for a server that also reports closing
    /// by the user as expiry. MATE's server waits seven seconds.
    var leastLifetime: Duration? { vendor == "MATE" ? .seconds(6) : nil }

    var showsActions: Bool { capabilities.contains("actions") }
    var takesReplies: Bool { showsActions && capabilities.contains("inline-reply") }

    /// A notification with the same value of this hint replaces the earlier one, even if its id is
    /// unknown.
    var tagHint: String? {
        ["x-dunst-stack-tag", "x-canonical-private-synchronous"].first(where: capabilities.contains)
    }

    /// The hint's name changed in versions 1.1 and 1.2 of the specification.
    var pictureHint: String {
        switch specVersion {
        case "1.1": "image_data"
        case "0.9", "1.0": "icon_data"
        default: "image-data"
        }
    }
}
