/// What the present owner of `org.freedesktop.Notifications` can do, as it says itself.
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
    /// What the body is read as. Summaries never are markup.
    var reading: Reading {
        if capabilities.contains("body-markup") { return .markup }
        // Says so only where its configuration does, and renders it by default all the same.
        return name == "dunst" ? .unknown : .text
    }

    enum Reading {
        case text
        case markup
        /// Either of them, and nobody can say which.
        case unknown
    }

    /// How long at least a notification stays by itself after it came up or changed, where what the
    /// user closes is reported as expired. Of MATE's server that is seven seconds.
    var leastLifetime: Duration? { vendor == "MATE" ? .seconds(6) : nil }

    var showsActions: Bool { capabilities.contains("actions") }
    var takesReplies: Bool { showsActions && capabilities.contains("inline-reply") }

    /// The hint under whose value a notification takes the place of the one that had it before,
    /// even if nobody knows its number any more.
    var tagHint: String? {
        ["x-dunst-stack-tag", "x-canonical-private-synchronous"].first(where: capabilities.contains)
    }

    /// It had other names before version 1.2 and before 1.1 of the specification.
    var pictureHint: String {
        switch specVersion {
        case "1.1": "image_data"
        case "0.9", "1.0": "icon_data"
        default: "image-data"
        }
    }
}
