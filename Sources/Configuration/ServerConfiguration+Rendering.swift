package import Base

/// The configuration in force, without secrets.
extension ServerConfiguration {
    /// A line for each key, with the source of its value.
    package var text: String {
        var lines: [String] = []
        for key in ConfigurationKey.all {
            guard let settings = settings[key.name], !settings.isEmpty else {
                lines += effective(key).map { value in
                    "\(key.name) = \(Printable.text(value))  # \(SettingSource.fallback)"
                }
                continue
            }
            lines += settings.map { setting in
                let value = Printable.text(key.shown(setting.value))
                return "\(key.name) = \(value)  # \(Printable.text(setting.source.description))"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `[{"key","values","source","takes_effect"}]`.
    package func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for key in ConfigurationKey.all { write(key, to: &writer) }
        }
    }

    private func write(_ key: ConfigurationKey, to writer: inout JSONWriter) {
        let settings = settings[key.name] ?? []
        writer.object { writer in
            writer.member("key", key.name)
            writer.name("values")
            writer.array { writer in
                for setting in settings { writer.string(key.shown(setting.value)) }
                if settings.isEmpty { for value in effective(key) { writer.string(value) } }
            }
            writer.member(
                "source", (settings.first?.source ?? SettingSource.fallback).description)
            writer.member("takes_effect", key.effect.rawValue)
        }
    }

    /// The values of a key that is not set.
    private func effective(_ key: ConfigurationKey) -> [String] {
        switch key.name {
        case ConfigurationKey.listen.name: listeners.map(\.description)
        case ConfigurationKey.baseURL.name: [expectedBaseURL?.description ?? key.fallback]
        case ConfigurationKey.tlsCertificate.name, ConfigurationKey.tlsKey.name:
            [listeners.contains(where: \.isEncrypted) ? developmentCertificate : "none"]
        case ConfigurationKey.state.name: [state]
        case ConfigurationKey.keys.name: [keys]
        case ConfigurationKey.node.name: [remoteStore?.node ?? key.fallback]
        case ConfigurationKey.registration.name: [registration.rawValue]
        case ConfigurationKey.receiversFile.name: [receiversFiles.joined(separator: ", else ")]
        default: [key.fallback]
        }
    }
}
