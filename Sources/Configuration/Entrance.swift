/// Says in a sentence for the administrator what a listener allows to whom.
package struct Entrance: Equatable, Sendable {
    package let place: String
    /// Who can connect, and which of them may subscribe.
    package let sentence: String
    /// Whether people from other machines may subscribe without a credential.
    package let isOpenToStrangers: Bool

    package init(_ listener: ListenAddress, _ registration: RegistrationMode, _ baseURL: BaseURL?) {
        let publicURL = baseURL.flatMap { $0.origin.isLoopback ? nil : $0 }
        let isForThisMachine = listener.isForThisMachine && publicURL == nil
        place = listener.description
        isOpenToStrangers = registration == .open && !isForThisMachine
        let who = Self.visitors(of: listener, publicURL)
        let may =
            switch registration {
            case .token: "only devices added with bellwire device add may subscribe"
            case .open where isForThisMachine: "all of them may subscribe without a credential"
            case .open: "EVERYBODY may subscribe without a credential"
            }
        sentence = "\(who) can connect, and \(may)"
    }

    private static func visitors(of listener: ListenAddress, _ publicURL: BaseURL?) -> String {
        if !listener.isLocal { return "everybody who reaches this address over the network" }
        if listener.hasProxies { return "everybody who reaches the proxy in front of this server" }
        let locals =
            if case .unix = listener.endpoint {
                "programs on this machine that have access to the folder of this socket"
            } else {
                "programs on this machine"
            }
        return publicURL.map { "\(locals), and clients that a proxy forwards from \($0)," }
            ?? locals
    }
}

extension ServerConfiguration {
    /// One for each listener, as far as can be known before it is open.
    package var entrances: [Entrance] {
        listeners.map { Entrance($0, registration, expectedBaseURL) }
    }

    package var controlSentence: String {
        let others =
            allowsLocalUsers
            ? "other users of this machine may add their own devices"
            : "other users of this machine have no rights"
        return "root and the user of the service are administrators, and \(others)"
    }

    package var metricsSentence: String {
        metricsTokenFile == nil
            ? "all programs on this machine may read metrics"
            : "everybody who sends the token may read metrics"
    }
}
