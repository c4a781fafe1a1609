import Notifications
import System

/// What the user does with what is shown.
extension Presenter {
    /// `reason` is that of the specification: 1 it expired, 2 the user dismissed it, 3 somebody
    /// closed it by a call.
    mutating func closed(_ key: ShownKey, _ reason: UInt32, _ now: Duration) {
        let isByUser =
            reason == Self.dismissedByUser || reason == Self.expired && mayNotExpire(key, now)
        leaveScreen(key)
        if isByUser { dismiss(key) }
    }

    private static let expired: UInt32 = 1
    private static let dismissedByUser: UInt32 = 2

    /// Whether it was too early for that, where the server says the same of what the user closes.
    private func mayNotExpire(_ key: ShownKey, _ now: Duration) -> Bool {
        guard case .present(let server) = server, let lifetime = server.leastLifetime,
            let entry = entries[key]
        else { return false }
        // A call never expires.
        if entry.notification?.kind == .call { return true }
        return entry.shownAt.map { now - $0 < lifetime } ?? false
    }

    private mutating func dismiss(_ key: ShownKey) {
        guard let entry = entries[key], entry.place != .dismissed else { return }
        guard key.notification == 0 else {
            return settle(
                key, .remove(group: entry.group, notification: key.notification))
        }
        for key in members(of: key.source) { dismiss(key) }
        remove(key)
    }

    /// The user is done with it; what is on the screen goes when the engine agrees.
    private mutating func settle(_ key: ShownKey, _ request: EngineRequest) {
        entries[key]?.place = .dismissed
        entries[key]?.request = request
        keep(key)
        actions.append(.request(source: key.source, request))
    }

    mutating func invoked(_ key: ShownKey, _ name: String, _ id: UInt32) {
        let token = self.token.take().flatMap { $0.id == id ? $0.text : nil }
        guard let entry = entries[key], let source = sources[key.source]?.settings,
            entry.place != .dismissed
        else { return }
        if key.notification == 0 {
            activate(source, token: token)
            return dismiss(key)
        }
        guard entry.notification?.isClear != true else { return }
        switch name {
        case ActionKey.open:
            act(key, entry, "default")
            lead(to: entry.notification?.link ?? "", source, token: token)
        case ActionKey.markRead: act(key, entry, "mark_read")
        case ActionKey.accept:
            act(key, entry, "accept")
            activate(source, token: token)
        case ActionKey.decline: act(key, entry, "decline")
        default:
            guard let index = ActionKey.ownIndex(name), let notification = entry.notification,
                index < notification.actions.count
            else { return }
            let action = notification.actions[index]
            act(key, entry, action.name)
            lead(to: action.link, source, action: action.name, token: token)
        }
    }

    mutating func replied(_ key: ShownKey, _ text: String) {
        guard let entry = entries[key], entry.notification?.isClear == false, !text.isEmpty,
            sources[key.source]?.consent.takesReplies == true, entry.place != .dismissed
        else { return }
        act(key, entry, "reply", text: text)
    }

    private mutating func act(
        _ key: ShownKey, _ entry: Entry, _ action: String, text: String? = nil
    ) {
        settle(
            key,
            .act(group: entry.group, notification: key.notification, action: action, text: text))
    }

    /// To where the payload says, else to the application.
    private mutating func lead(
        to link: String, _ source: PresentedSource, action: String? = nil, token: String?
    ) {
        guard link.isEmpty else {
            if let link = ExternalLink(link),
                sources[source.id]?.consent.allows(link.scheme) == true
            {
                actions.append(.open(link: link, token: token))
            }
            return
        }
        activate(source, action: action, token: token)
    }

    private mutating func activate(
        _ source: PresentedSource, action: String? = nil, token: String?
    ) {
        guard let service = source.service else { return }
        actions.append(.activate(service: service, action: action, token: token))
    }
}
