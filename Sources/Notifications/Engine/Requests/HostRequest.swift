package import Base

/// A request that the host itself makes.
///
/// The journal stores it as `text`, in the form of a client's request, which `Engine.handle` reads.
package enum HostRequest: Sendable {
    /// Sets the user of the account.
    case setUser(Int64)
    /// Sends everything that is held back.
    case release
    /// Keeps payloads as received, or stops doing so.
    case setRaw(Bool)
    /// The client that was fetching has gone away.
    case abandonFetching
    /// An application has received all notices up to this one.
    case heard(through: Int64)
    /// The application has received the user's action.
    case actionTaken(Int64)
    case setSource(SourceChange)

    package var text: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .setUser(let id):
                writer.member("@type", "bellwire.setMe")
                writer.member("user_id", Int(id))
            case .release: writer.member("@type", "bellwire.release")
            case .setRaw(let isActive):
                writer.member("@type", "bellwire.setRaw")
                writer.member("active", isActive)
            case .abandonFetching:
                writer.member("@type", "bellwire.setFetching")
                writer.member("active", false)
                writer.member("abandoned", true)
            case .heard(let last):
                writer.member("@type", "bellwire.heard")
                writer.member("through", Int(last))
            case .actionTaken(let id):
                writer.member("@type", "bellwire.actionTaken")
                writer.member("id", Int(id))
            case .setSource(let change):
                writer.member("@type", "bellwire.setSource")
                change.write(to: &writer)
            }
        }
        return writer.bytes
    }
}

/// A change to how an account's source rings and looks. Absent members change nothing.
package struct SourceChange: Sendable {
    package var notifyMode: SourceState.NotifyMode?
    package var sessionTimeout: Int32?
    /// Stays until it is set again.
    package var isPaused: Bool?
    /// The messages it rang for were fetched, so it may ring again.
    package var isFetched = false
    package var presentation: JSONNode?
    var isMobile: Bool?
    /// The request has unknown members, which only a client sends.
    private var hasUnknownMembers = false

    package init(presentation: JSONNode? = nil) { self.presentation = presentation }

    /// Setting the presentation alone is no sign of life: registrations do that when nobody is
    /// there.
    var isSignOfLife: Bool {
        presentation == nil || notifyMode != nil || sessionTimeout != nil || isMobile != nil
            || isPaused != nil || isFetched || hasUnknownMembers
    }

    init(_ request: JSONNode) throws(Invalid) {
        if let name = request["notify_mode"]?.text {
            notifyMode = SourceState.NotifyMode(name: name)
            if notifyMode == nil { throw Invalid(message: "Notify mode is unknown") }
        }
        if let timeout = request["session_timeout"]?.integer {
            guard timeout > 0 else { throw Invalid(message: "Session timeout must be positive") }
            sessionTimeout = Int32(clamping: timeout)
        }
        isMobile = request["mobile"]?.bool
        isPaused = request["paused"]?.bool
        isFetched = request["fetched"]?.bool == true
        presentation = request["presentation"]
        hasUnknownMembers = request.members.contains {
            !["@type", "presentation"].contains($0.name)
        }
    }

    struct Invalid: Error {
        let message: String
    }

    fileprivate func write(to writer: inout JSONWriter) {
        if let notifyMode { writer.member("notify_mode", "\(notifyMode)") }
        if let sessionTimeout { writer.member("session_timeout", Int(sessionTimeout)) }
        if let isMobile { writer.member("mobile", isMobile) }
        if let isPaused { writer.member("paused", isPaused) }
        if isFetched { writer.member("fetched", true) }
        if let presentation {
            writer.name("presentation")
            writer.value(presentation)
        }
    }
}

extension Engine {
    package mutating func perform(_ request: HostRequest, now: Double) -> Outcome {
        advance(to: now)
        if isClosed { return .aborted }
        switch request {
        case .setUser(let id): return setUser(id)
        case .release: flushEverything()
        case .setRaw(let isActive): account.owed.keepRaw(isActive)
        case .abandonFetching: setFetching(false, isAbandoned: true)
        case .heard(let last): account.owed.removeNotices(through: last)
        case .actionTaken(let id): account.owed.remove(id, where: \.isAction)
        case .setSource(let change): apply(change)
        }
        return .ok
    }

    mutating func setUser(_ id: Int64) -> Outcome {
        guard 0..<ChatID.userLimit ~= id else { return .badRequest("User identifier is invalid") }
        account.userID = id
        return .ok
    }

    mutating func apply(_ change: SourceChange) {
        var source = account.source
        if let mode = change.notifyMode { source.notifyMode = mode }
        if let timeout = change.sessionTimeout { source.sessionTimeout = timeout }
        if let isMobile = change.isMobile { source.isMobile = isMobile }
        if let isPaused = change.isPaused {
            source.pausedUntil = isPaused ? .greatestFiniteMagnitude : 0
        }
        if change.isFetched { source.rung = [] }
        if let node = change.presentation { source.presentation = SourcePresentation(node) }
        account.source = source
        if change.isSignOfLife { recordActivity() }
    }
}

/// Tokens that the client wants registered. The host makes the calls.
extension Engine {
    /// `secret` is the encryption key for a token that is not registered yet, unless the client
    /// supplies one.
    package mutating func registerDevice(
        _ request: JSONNode, secret: RegisteredDevice.Encryption?, now: Double
    ) -> Outcome {
        advance(to: now)
        if let refusal = Self.refusal(of: request) { return refusal }
        if isClosed { return .aborted }
        guard let node = request["device_token"], node.kind == .object else {
            return .badRequest("Device token must be non-empty")
        }
        let token: DeviceToken
        do throws(DeviceToken.Failure) {
            token = try DeviceToken(node)
        } catch {
            switch error {
            case .invalid(let message): return .badRequest(message)
            }
        }
        let others = (request["other_user_ids"]?.elements ?? []).map { $0.integer ?? 0 }
        guard others.allSatisfy({ 1..<ChatID.userLimit ~= $0 }) else {
            return .badRequest("Invalid user_id among other user_ids")
        }
        let known = account.devices[token.type]
        if token.token.isEmpty {
            account.devices[token.type] = nil
            if let known { askHost("unregister_device", known) }
            return receiver(0)
        }
        var device = RegisteredDevice(
            tokenType: token.type, token: token.token, otherUserIDs: others,
            isSandbox: token.isSandbox)
        if request["secret"] != nil {
            device.encryption = secret
        } else if token.isEncrypted {
            device.encryption = known?.token == token.token ? known?.encryption ?? secret : secret
        }
        account.devices[token.type] = device
        if known != device { askHost("register_device", device) }
        return receiver(device.encryption?.keyID ?? account.userID)
    }

    private func receiver(_ id: Int64) -> Outcome {
        .object(#"{"@type":"pushReceiverId","id":"\#(id)"}"#)
    }

    /// Registers every token again, at the start and once a day.
    package mutating func refreshDevices() {
        nextRefresh = now + Self.refreshInterval
        for device in account.devices.sorted(by: { $0.key < $1.key }) {
            askHost("register_device", device.value)
        }
    }

    /// Telegram's documentation asks for this at least once every 24 hours.
    private static let refreshInterval = 86_400.0

    private mutating func askHost(_ reason: String, _ device: RegisteredDevice) {
        let others = device.otherUserIDs.map(String.init).joined(separator: ",")
        var details = [
            Update.Detail("token_type", source: String(device.tokenType)),
            Update.Detail("token", source: JSONText.quoted(device.token)),
            Update.Detail("app_sandbox", source: device.isSandbox ? "true" : "false"),
            Update.Detail("no_muted", source: "true"),
            Update.Detail("other_uids", source: "[\(others)]"),
        ]
        if let encryption = device.encryption {
            let secret = Base64URL.text(encryption.secret.span)
            details.append(Update.Detail("secret", source: "\"\(secret)\""))
        }
        updates.append(.fetchRequired(reason: reason, details: details))
    }
}
