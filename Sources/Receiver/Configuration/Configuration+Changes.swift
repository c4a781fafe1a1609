/// A configuration that is read again while the service runs.
extension Configuration {
    /// What is taken over at once; everything else waits for the next start.
    private static let living = [ConfigurationKey.tlsCertificate, .tlsKey, .localUsers]
        .map(\.name)

    /// The keys whose values differ from those of `other` and are not taken over by a reload.
    package func keysForNextStart(after other: Configuration) -> [String] {
        ConfigurationKey.all.map(\.name).filter { name in
            !Self.living.contains(name)
                && settings[name]?.map(\.value) != other.settings[name]?.map(\.value)
        }
    }
}
