import Base
import Glibc

/// Opens links with `xdg-open`, each in a process of its own that outlives this one.
package struct LinkOpener: ~Copyable {
    private var children: [pid_t] = []

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
        reap()
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for number in isQuiet ? 0..<3 : 0..<0 {
            posix_spawn_file_actions_addopen(&files, Int32(number), "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit blocked or ignored signals.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | Self.ownSession))
        var child: pid_t = 0
        let code = Self.withPointers(["xdg-open", link.text]) { arguments in
            Self.withPointers(Self.environment(token)) { environment in
                posix_spawnp(
                    &child, "xdg-open", &files, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError("posix_spawnp", code: code) }
        children.append(child)
    }

    /// Forgets the children that have ended.
    package mutating func reap() {
        children.removeAll { child in
            var status: Int32 = 0
            return waitpid(child, &status, WNOHANG) != 0
        }
    }

    /// POSIX_SPAWN_SETSID, a glibc extension that Swift does not import.
    private static let ownSession: Int32 = 0x80

    /// X11 and Wayland each have a name for the token.
    private static let names = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

    package static func variables(_ token: String?) -> [String] {
        token.map { token in names.map { "\($0)=\(token)" } } ?? []
    }

    /// This process's environment without an old token.
    private static func environment(_ token: String?) -> [String] {
        var result: [String] = []
        var pointer = environ
        while let variable = pointer.pointee {
            let text = String(cString: variable)
            if !names.contains(where: { text.hasPrefix($0 + "=") }) { result.append(text) }
            pointer += 1
        }
        return result + variables(token)
    }

    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
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
