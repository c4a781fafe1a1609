import Base
package import Configuration
package import Mailbox
import System
package import WebPush

/// What an installation decides about its push service.
package struct PushServiceSettings: Sendable {
    package let baseURL: BaseURL
    /// Other origins that are ours.
    package let aliases: [Origin]
    package var registration = RegistrationMode.open
    /// Users of this machine who do not administer may have devices, by the control socket.
    package var allowsLocalUsers = false
    /// Connections without a credential from one network at a time.
    package var strangersPerNetwork = 500
    /// A full subscription loses its oldest messages instead of refusing new ones.
    package var dropsOldest = false
    /// Payloads that a loop decrypts in one turn, about two milliseconds' worth; what comes beyond them
    /// is decrypted elsewhere.
    package var readAtOnce = 48
    /// What a user agent may ask beside acknowledging what it was sent.
    package var userAgentPace = PaceLimit(atOnce: 2_000, perSecond: 200)
    /// Requests of a client of an engine, counted anew for each 4 KiB.
    package var enginePace = PaceLimit(atOnce: 4_096, perSecond: 1_000)
    /// A proxy between cuts what is silent for a minute.
    package var isBehindProxy = false
    /// The time of day, in seconds since 1970.
    package var now: @Sendable () -> Double = { WallClock.now }
    /// Told of pushes that could not be decrypted: the registration, and the reason in a word.
    package var onUndecryptable: @Sendable (_ registration: String, _ reason: String) -> Void = {
        _, _ in
    }
    /// Where callbacks may go, and how.
    package var callbacks: CallbackSettings
    package let version: String
    /// What all of our `Location` fields begin with.
    let locationStart: [UInt8]

    package init(baseURL: BaseURL, aliases: [Origin] = [], version: String) {
        self.baseURL = baseURL
        self.aliases = aliases
        self.version = version
        callbacks = CallbackSettings(userAgent: "bellwire/\(version)")
        locationStart = Array("\(baseURL)/m/".utf8)
    }

    /// Every text that may name us in a signature.
    var audiences: [[UInt8]] { ([baseURL.origin] + aliases).flatMap(\.audiences) }

    /// The address that senders push to.
    package func endpoint(_ token: EndpointToken, isBound: Bool) -> [UInt8] {
        var url = Array(baseURL.description.utf8)
        url.append(contentsOf: isBound ? "/wpush/v2/" : "/wpush/v1/")
        let bytes = token.bytes
        Base64URL.append(bytes.span, to: &url)
        return url
    }
}
