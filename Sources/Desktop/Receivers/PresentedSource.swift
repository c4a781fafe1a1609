/// An account whose notifications are shown, and its application.
package struct PresentedSource: Equatable, Sendable {
    /// Identifies the account on this desktop; the same after a restart.
    package let id: String
    /// The application name on notifications.
    package var name: String
    /// The id of a `.desktop` file, without its suffix. It gives the notifications an icon, and a
    /// place of their own in the desktop's settings.
    package var desktopEntry: String
    /// The D-Bus name of an application that can be activated.
    package var service: String?
    /// Names it to notification servers and to whoever listens to the bus, and tells them nothing of
    /// the account. Without one, no notification has a tag.
    package var tag = ""

    package static let ownDesktopEntry = "org.bellwire.Desktop"

    package init(
        id: String, name: String, desktopEntry: String = Self.ownDesktopEntry,
        service: String? = nil
    ) {
        self.id = id
        self.name = name
        self.desktopEntry = desktopEntry
        self.service = service
    }
}

struct PresentedEngine: Sendable {
    let source: PresentedSource
    let address: EngineAddress
}
