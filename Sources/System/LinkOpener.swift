import Base

/// Opens links with `xdg-open`, each in a process of its own that outlives this one.
package struct LinkOpener: ~Copyable {
    private var children = ChildProcesses()

    package init() {}

    /// Whether this session has a screen on which `xdg-open` opens something.
    package static var hasScreen: Bool {
        ["WAYLAND_DISPLAY", "DISPLAY"].contains { !(Environment[$0] ?? "").isEmpty }
    }

    /// Whether some have not ended yet, or `reap` was not called since.
    package var hasChildren: Bool { !children.isEmpty }

    /// xdg-open does not know `--` and would take an argument with a leading `-` for an option; an
    /// `ExternalLink` never has one. `token` allows the opened program to come to the front. A quiet
    /// one has none of the standard streams.
    package mutating func open(
        _ link: ExternalLink, token: String?, isQuiet: Bool = false
    ) throws(SystemError) {
        try children.start(["xdg-open", link.text], Self.environment(token), isQuiet: isQuiet)
    }

    /// Forgets the children that have ended.
    package mutating func reap() { children.reap() }

    /// X11 and Wayland each have a name for the token.
    private static let names = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

    package static func variables(_ token: String?) -> [String] {
        token.map { token in names.map { "\($0)=\(token)" } } ?? []
    }

    /// This process's environment without an old token.
    private static func environment(_ token: String?) -> [String] {
        Environment.all.filter { variable in
            !names.contains { variable.hasPrefix($0 + "=") }
        } + variables(token)
    }
}

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
