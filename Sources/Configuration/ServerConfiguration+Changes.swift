/// A reload while the server runs.
extension ServerConfiguration {
    /// The keys that differ from those of the start, and that a running server cannot change.
    package func keysForNextStart(after start: ServerConfiguration) -> [String] {
        // Without files the server would have to make a certificate.
        let lacksFiles = certificate == nil && start.certificate != nil
        let files = [ConfigurationKey.tlsCertificate.name, ConfigurationKey.tlsKey.name]
        return ConfigurationKey.all.filter { key in
            guard settings[key.name]?.map(\.value) != start.settings[key.name]?.map(\.value)
            else { return false }
            return key.effect == .atStart || (lacksFiles && files.contains(key.name))
        }.map(\.name)
    }

    /// Who may subscribe after a reload. A reload may close registration at any time. It may open
    /// registration only if the server runs with the listeners and the name of this configuration,
    /// because it was checked against those.
    package func registration(
        serving listeners: [ListenAddress], under name: BaseURL?, now: RegistrationMode
    ) -> RegistrationMode {
        guard registration == .open, now == .token else { return registration }
        return listeners == self.listeners && name == baseURL ? .open : .token
    }
}

/// What a reload does with the listeners of a running server.
package struct ListenerChanges: Equatable, Sendable {
    /// An open listener stays, perhaps with another protocol or other proxies.
    package struct Kept: Equatable, Sendable {
        /// Its place in the list of open listeners.
        package let index: Int
        package let address: ListenAddress
    }

    package private(set) var kept: [Kept] = []
    package private(set) var opened: [ListenAddress] = []
    /// The places of those that close, in the list of open listeners.
    package let closed: [Int]

    package init(from open: [ListenAddress], to wanted: [ListenAddress]) {
        var rest = Array(open.enumerated())
        for address in wanted {
            let place =
                rest.firstIndex { $0.element == address }
                ?? rest.firstIndex { $0.element.isSamePlace(as: address) }
            if let place {
                kept.append(Kept(index: rest.remove(at: place).offset, address: address))
            } else {
                opened.append(address)
            }
        }
        closed = rest.map(\.offset)
    }
}
