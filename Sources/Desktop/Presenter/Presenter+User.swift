import Notifications
import System

/// What the user does with a notification.
extension Presenter {
    /// `reason` is that of the specification: 1 expired, 2 dismissed by the user, 3 closed by a
    /// call.
    mutating func closed(_ key: ShownKey, _ reason: UInt32, _ now: Duration) {
        let isByUser =
            reason == Self.dismissedByUser || reason == Self.expired && mayNotExpire(key, now)
        leaveScreen(key)
        if isByUser { dismiss(key) }
    }

    private static let expired: UInt32 = 1
    private static let dismissedByUser: UInt32 = 2

    /// Whether it was too early to expire. Some servers report dismissal by the user as expiry.
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
            return settle(key, .remove(group: key.group, notification: key.notification))
        }
        for key in members(of: key.source) { dismiss(key) }
        sources[key.source]?.passed = [:]
        remove(key)
    }

    /// Sends the requests; the notification is removed when the engine confirms.
    private mutating func settle(_ key: ShownKey, _ requests: EngineRequest...) {
        entries[key]?.place = .dismissed
        entries[key]?.requests = requests
        keep(key)
        for request in requests { actions.append(.request(source: key.source, request)) }
    }

    mutating func invoked(_ key: ShownKey, _ name: String, _ id: UInt32) {
        let token = self.token.take().flatMap { $0.id == id ? $0.text : nil }
        guard let entry = entries[key], let source = sources[key.source]?.settings,
            entry.place != .dismissed
        else { return }
        if key.notification == 0 {
            if let service = source.service {
                actions.append(.activate(service: service, token: token))
            }
            return dismiss(key)
        }
        guard let notification = entry.notification, !notification.isClear else { return }
        switch name {
        case ActionKey.open: act(key, "default", link: notification.link, token)
        case ActionKey.markRead: act(key, "mark_read")
        case ActionKey.accept: act(key, "accept", token)
        case ActionKey.decline: act(key, "decline")
        default:
            if let mute = ActionKey.mutes.first(where: { $0.key == name }) {
                return settle(
                    key, .mute(chat: entry.chat.id, seconds: mute.seconds),
                    .remove(group: key.group, notification: key.notification))
            }
            guard let index = ActionKey.ownIndex(name), index < notification.actions.count else {
                return
            }
            let action = notification.actions[index]
            act(key, action.name, link: action.link, token)
        }
    }

    mutating func replied(_ key: ShownKey, _ text: String) {
        guard let entry = entries[key], entry.notification?.isClear == false, !text.isEmpty,
            sources[key.source]?.consent.takesReplies == true, entry.place != .dismissed
        else { return }
        act(key, "reply", text: text)
    }

    /// The engine passes the action to the application. A link of the payload is opened at once.
    private mutating func act(
        _ key: ShownKey, _ action: String, text: String? = nil, link: String = "",
        _ token: String? = nil
    ) {
        guard let entry = entries[key] else { return }
        var token = token
        if let link = ExternalLink(link),
            sources[key.source]?.consent.allows(link.scheme) == true
        {
            let choice = Choice(
                source: key.source, chat: entry.chat.id,
                message: entry.notification?.messageID ?? 0, action: action)
            actions.append(.open(link: link, choice, token: token.take()))
        }
        settle(
            key,
            .act(
                group: key.group, notification: key.notification, action: action, text: text,
                token: token))
    }
}
