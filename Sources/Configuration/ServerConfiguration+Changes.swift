/// A configuration that is read again while the service runs.
extension ServerConfiguration {
    /// What is taken over at once; everything else waits for the next start.
    private static let living = [
        ConfigurationKey.tlsCertificate, .tlsKey, .localUsers, .registration,
        .registrationOpenToEveryone,
    ].map(\.name)

    /// The keys whose values differ from those of `other` and are not taken over by a reload.
    package func keysForNextStart(after other: ServerConfiguration) -> [String] {
        ConfigurationKey.all.map(\.name).filter { name in
            !Self.living.contains(name)
                && settings[name]?.map(\.value) != other.settings[name]?.map(\.value)
        }
    }

    /// Who may subscribe once this was read by a service that runs. It is closed to strangers at
    /// once, but opened only if this was judged for the listeners and names that are in force.
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
