/// A reload while the server runs.
extension ServerConfiguration {
    /// A reload applies these keys at once; all others wait for the next start.
    private static let living = [
        ConfigurationKey.tlsCertificate, .tlsKey, .localUsers, .registration,
        .registrationOpenToEveryone,
    ].map(\.name)

    /// The keys that differ from `other` and that a reload does not apply.
    package func keysForNextStart(after other: ServerConfiguration) -> [String] {
        ConfigurationKey.all.map(\.name).filter { name in
            !Self.living.contains(name)
                && settings[name]?.map(\.value) != other.settings[name]?.map(\.value)
        }
    }

    /// Who may subscribe after a reload. A reload may close registration at any time. It may open
    /// registration only if the configuration has the listeners and names that the server runs
    /// with, because it was checked against those.
    package func registration(
        afterReloadOf running: ServerConfiguration, now: RegistrationMode
    ) -> RegistrationMode {
        guard registration == .open, now == .token else { return registration }
        let isSamePlace =
            listeners == running.listeners && baseURL == running.baseURL
            && aliases == running.aliases
        return isSamePlace ? .open : .token
    }
}
