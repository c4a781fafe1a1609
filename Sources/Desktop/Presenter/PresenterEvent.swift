package import Notifications
package import Pictures
package import System

/// Events for a `Presenter`.
package enum PresenterEvent: Sendable {
    case update(source: String, EngineUpdate)
    /// A source is shown from now on, or has new settings.
    indirect case sourceBegan(PresentedSource)
    /// The source and all its notifications are gone for good.
    case sourceEnded(String)
    /// The engine of the source starts to send its state. Until then it is unknown what the
    /// application agreed to.
    case joined(String)
    /// The account does not exist. A new one of that name numbers its notifications from the
    /// beginning.
    case accountEnded(String)
    /// The name `org.freedesktop.Notifications` has an owner whose capabilities are known.
    indirect case serverAppeared(NotificationServer)
    case serverVanished
    /// No notification server could be started.
    case serverUnavailable
    case notified(ticket: Int, id: UInt32)
    case notifyFailed(ticket: Int, NotifyFailure)
    /// A notification was closed at our request, or was gone already.
    case closed(ShownKey)
    /// The following cases are signals, which count only if they come from the server.
    case notificationClosed(id: UInt32, reason: UInt32, sender: String)
    case actionInvoked(id: UInt32, key: String, sender: String)
    case activationToken(id: UInt32, token: String, sender: String)
    case replied(id: UInt32, text: String, sender: String)
    /// What became of a press on a button.
    case pressEnded(ShownKey, ButtonPress, ButtonPress.State)
    case inhibited(Bool)
    /// The picture of a notification has come.
    indirect case pictureCame(ShownKey, name: String, Picture)
    /// A program that draws badges appeared.
    case launcherAppeared
    /// A deadline has passed.
    case elapsed
}

/// Why a `Notify` returned no id.
package enum NotifyFailure: Equatable, Sendable {
    /// Nobody received the call.
    case undelivered
    /// Somebody may have received the call.
    case unanswered
    case refused
}

/// The action of a message that the user chose.
package struct Choice: Hashable, Sendable {
    package let source: String
    package let chat: Int64
    package let message: Int64
    package let action: String
}

/// What a `Presenter` wants done. Records come before the calls they belong to, and must be stored
/// before the calls leave.
package enum PresenterAction: Equatable, Sendable {
    case keep(ShownRecord)
    case forget(ShownKey)
    /// Forget the highest ids of a source.
    case forgetHighest(source: String)
    /// Start the registered notification server.
    case startServer
    indirect case notify(ticket: Int, NotifyCall)
    case close(ShownKey, id: UInt32)
    case request(source: String, EngineRequest)
    /// Bring the application to the front.
    case activate(service: String, token: String?)
    /// Open a link instead of passing the choice to the application, which hears of it if there is a
    /// choice.
    case open(link: ExternalLink, Choice?, token: String?)
    /// Send the request of a button, once what was kept is stored.
    indirect case send(ShownKey, ButtonPress, ButtonRequest)
    case copy(ShownKey, ButtonPress, String)
    case badge(desktopEntry: String, count: Int64)
    /// Get the picture that the server of this source has under that name.
    case fetchPicture(ShownKey, name: String)
}

/// The arguments of one `Notify`.
package struct NotifyCall: Equatable, Sendable {
    package struct Action: Equatable, Sendable {
        package let key: String
        package let label: String
    }

    /// A hint, typed as servers require.
    enum Hint: Equatable, Sendable {
        case byte(UInt8)
        case flag(Bool)
        case text(String)
        case picture(Picture)
    }

    package var appName = ""
    /// The id of the notification to replace; 0 for none.
    package var replacesID: UInt32 = 0
    package var appIcon = ""
    package var summary = ""
    package var body = ""
    package var actions: [Action] = []
    /// Sorted by name.
    var hints: [(name: String, value: Hint)] = []
    /// In milliseconds; -1 is the server's default, 0 is never.
    package var expiry: Int32 = -1

    subscript(hint name: String) -> Hint? { hints.first { $0.name == name }?.value }

    package var isSilent: Bool { self[hint: "suppress-sound"] == .flag(true) }

    /// The tag by which a server recognises what it has already; nil for one without tags.
    package var tag: String? {
        guard case .text(let tag)? = self[hint: "x-canonical-private-synchronous"] else {
            return nil
        }
        return tag
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.appName == right.appName && left.replacesID == right.replacesID
            && left.appIcon == right.appIcon && left.summary == right.summary
            && left.body == right.body && left.actions == right.actions
            && left.hints.elementsEqual(right.hints, by: ==) && left.expiry == right.expiry
    }

    /// A hash of what the user sees (FNV-1a, 64 bits).
    var digest: UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let labels = actions.flatMap { [$0.key, $0.label] }
        for text in [appName, summary, body] + labels {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            // No text contains this byte, so it separates neighbours.
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        for case .picture(let picture) in hints.map(\.value) {
            for byte in picture.pixels { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }
}

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
    var showsLinks: Bool { capabilities.contains("body-hyperlinks") }
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
