package import Base
package import Configuration
package import Mailbox
import System
import Topics
package import WebPush

/// What the configuration says about the push service.
package struct PushServiceSettings: Sendable {
    package let baseURL: BaseURL
    /// Other origins under which the server is reached.
    package var aliases: [Origin]
    package var registration = RegistrationMode.open
    /// What was set, for keys that are only looked up.
    package var values = SettingValues()
    /// The most connections without a credential from one network at a time.
    package var strangersPerNetwork = 500
    /// How many payloads a loop decrypts in one turn, which takes about two milliseconds. The rest
    /// are decrypted on another thread.
    package var readAtOnce = 48
    /// What a user agent may ask for, besides acknowledging messages.
    package var userAgentPace = PaceLimit(atOnce: 2_000, perSecond: 200)
    /// Requests of an engine's client; each further 4 KiB of a request counts as another.
    package var enginePace = PaceLimit(atOnce: 4_096, perSecond: 1_000)
    /// After how many seconds of silence a stream of a topic says that it lives.
    package var streamSilence = NtfyRoute.Stream.keepaliveSeconds
    /// A proxy in between closes connections that are silent for a minute.
    package var isBehindProxy = false
    /// The time of day, in seconds since 1970.
    package var now: @Sendable () -> Double = { WallClock.now }
    /// Called for each push that could not be decrypted; the reason is one word.
    package var onUndecryptable: @Sendable (_ registration: String, _ reason: String) -> Void = {
        _, _ in
    }
    /// Called when a push was accepted for a registration whose notifications nobody sees.
    package var onUnheard: @Sendable (_ registration: String) -> Void = { _ in }
    package var page: PagePlace
    package var callbacks: CallbackSettings
    /// The bearer token that readers of the metrics must send; nil if none is needed.
    package var metricsToken: Secret?
    package let version: String
    /// The beginning of every `Location` field.
    let locationStart: [UInt8]
    let errorPage: ErrorPage

    package init(baseURL: BaseURL, aliases: [Origin] = [], version: String) {
        self.baseURL = baseURL
        self.aliases = aliases
        self.version = version
        page = baseURL.path.isEmpty ? .usual(baseURL.origin) : .sharedSite
        callbacks = CallbackSettings(userAgent: "bellwire/\(version)")
        locationStart = Array("\(baseURL)/m/".utf8)
        errorPage = ErrorPage(base: baseURL.description)
    }

    var origins: [Origin] { [baseURL.origin] + aliases }

    /// Every text that may name the server in a signature.
    var audiences: [[UInt8]] { origins.flatMap(\.audiences) }

    /// A full subscription drops its oldest messages instead of refusing new ones.
    var dropsOldest: Bool { values[.backlogFull] == BacklogPolicy.dropOldest.rawValue }

    var history: HistoryRules {
        let choice = values[.history].flatMap(HistoryChoice.init) ?? .topics
        guard choice != .off else { return HistoryRules(lifetime: 0, hasAccounts: false) }
        // What is no length of time was refused when the configuration was read.
        let seconds = try? TimeSpan.seconds(
            values[.historyFor] ?? ConfigurationKey.historyFor.fallback)
        return HistoryRules(
            lifetime: UInt32(clamping: seconds ?? 0), hasAccounts: choice == .all)
    }

    var admission: AdmissionRules {
        AdmissionRules(
            registration: registration, allowsLocalUsers: values.isOn(.localUsers))
    }

    /// The address that senders push to.
    package func endpoint(_ token: EndpointToken, isBound: Bool) -> [UInt8] {
        var url = Array(baseURL.description.utf8)
        url.append(contentsOf: isBound ? "/wpush/v2/" : "/wpush/v1/")
        let bytes = token.bytes
        Base64URL.append(bytes.span, to: &url)
        return url
    }
}

/// What is kept after its delivery.
struct HistoryRules: Sendable {
    /// For how many seconds a topic keeps what comes, if it does not say so itself.
    let lifetime: UInt32
    /// Not only topics keep it.
    let hasAccounts: Bool
}

/// Where the status page is.
package enum PagePlace: Equatable, Sendable {
    /// The configuration says that there is none.
    case off
    /// The service lies under a path of a site. Other pages of that site share its origin, so they
    /// could use a visitor's session.
    case sharedSite
    /// At the origin of base-url, and at the server's other names.
    case usual(Origin)
    /// Only at this origin.
    case own(Origin)

    /// The beginning of its addresses; nil if it is nowhere.
    package var origin: Origin? {
        switch self {
        case .off, .sharedSite: nil
        case .usual(let origin), .own(let origin): origin
        }
    }
}
