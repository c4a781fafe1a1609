/// An account whose notifications are shown, and the application they belong to.
package struct PresentedSource: Equatable, Sendable {
    /// Names the account on this desktop; the same over restarts.
    package let id: String
    /// What notifications are signed with.
    package var name: String
    /// The id of a `.desktop` file, without its suffix: gives the icon, and settings of its own.
    package var desktopEntry: String
    /// The D-Bus name of an application that can be activated.
    package var service: String?
    /// The application takes answers that are typed into a notification.
    package var takesReplies: Bool
    /// What links may begin with. A file never can be opened.
    package var linkSchemes: Set<String>

    package static let ownDesktopEntry = "org.bellwire.Desktop"

    package init(
        id: String, name: String, desktopEntry: String = Self.ownDesktopEntry,
        service: String? = nil, takesReplies: Bool = false, linkSchemes: Set<String> = ["https"]
    ) {
        self.id = id
        self.name = name
        self.desktopEntry = desktopEntry
        self.service = service
        self.takesReplies = takesReplies
        self.linkSchemes = linkSchemes
    }

    /// The link if it may be opened, as one argument that is no option.
    func permitted(_ link: String) -> String? {
        guard let colon = link.firstIndex(of: ":"), link.utf8.count <= Self.linkLimit else {
            return nil
        }
        let scheme = link[..<colon].lowercased()
        let isVisible = link.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isVisible && scheme != "file" && linkSchemes.contains(scheme) ? link : nil
    }

    private static let linkLimit = 2048
}
