import Base
import Notifications
import System

/// Events of the notification server.
extension Presenter {
    mutating func appeared(_ new: NotificationServer) {
        if server.isPresent { vanished() }
        server = .present(new)
        pausedUntil = .zero
        for key in entries.keys.sorted() {
            guard var entry = entries[key] else { continue }
            if entry.place == .shown, entry.server == new.identity {
                shown[entry.serverID] = key
                // It is shown again in place, because some servers report events only to the
                // connection that called last, and ours is new.
                (entry.digest, entry.isDirty) = (0, true)
                entries[key] = entry
                if entry.isDoomed { remove(key) } else { enqueue(key) }
                continue
            }
            if entry.isInDoubt, entry.place == .waiting, entry.server == new.identity {
                enqueue(key)
                continue
            }
            if entry.isDoomed {
                entries[key] = nil
                actions.append(.forget(key))
                continue
            }
            if entry.serverID != 0, entry.server == new.identity {
                actions.append(.close(key, id: entry.serverID))
            }
            // Another server does not know the ids. Everything that was shown is shown again,
            // without a sound.
            (entry.serverID, entry.server, entry.isInDoubt) = (0, nil, false)
            let wasShown = entry.place == .shown
            if wasShown { (entry.place, entry.maySound) = (.waiting, false) }
            #if PLANTED
                if wasShown { entry.maySound = PlantedMistake.soundAgain.isMade }
            #endif
            entries[key] = entry
            if wasShown { keep(key) }
            if entry.place == .waiting { enqueue(key) }
        }
    }

    mutating func vanished() {
        server = .absent
        shown = [:]
        token = nil
        isInhibited = false
        guard let flight else { return }
        self.flight = nil
        land(flight, .unanswered)
    }

    mutating func notified(_ ticket: Int, _ id: UInt32, _ now: Duration) {
        guard let flight, flight.ticket == ticket, case .present(let server) = server else {
            return
        }
        self.flight = nil
        guard !flight.isOrphan, var entry = entries[flight.key] else {
            return actions.append(.close(flight.key, id: id))
        }
        if let other = shown[id], other != flight.key { leaveScreen(other) }
        if shown[entry.serverID] == flight.key { shown[entry.serverID] = nil }
        shown[id] = flight.key
        (entry.serverID, entry.server) = (id, server.identity)
        (entry.digest, entry.failures, entry.isInDoubt) = (flight.digest, 0, false)
        if entry.place == .dismissed || entry.place == .aside {
            // The user dismissed it while the call was running.
            shown[id] = nil
            actions.append(.close(flight.key, id: id))
        } else {
            (entry.place, entry.shownAt) = (.shown, now)
        }
        entries[flight.key] = entry
        keep(flight.key)
        if entry.isDirty, entry.place == .shown { enqueue(flight.key) }
        askForPicture(of: flight.key)
    }

    mutating func failed(_ ticket: Int, _ failure: NotifyFailure, _ now: Duration) {
        guard let flight, flight.ticket == ticket else { return }
        self.flight = nil
        pausedUntil = now + Self.pause
        land(flight, failure)
    }

    /// Undoes a failed call.
    private mutating func land(_ flight: Flight, _ failure: NotifyFailure) {
        guard !flight.isOrphan, var entry = entries[flight.key] else {
            if entries[flight.key] == nil { actions.append(.forget(flight.key)) }
            return
        }
        if failure != .undelivered { entry.failures += 1 }
        if entry.place == .showing {
            // It may have sounded even though no answer came.
            entry.place = entry.failures < Self.attempts ? .waiting : .listed
            entry.maySound = flight.isSounding && failure == .undelivered
            entry.isInDoubt = failure == .unanswered
        } else {
            entry.isDirty = entry.failures < Self.attempts
        }
        entries[flight.key] = entry
        keep(flight.key)
        if entry.place == .waiting || (entry.place == .shown && entry.isDirty) {
            queue.removeAll { $0 == flight.key }
            queue.insert(flight.key, at: 0)
        }
    }

    private static let pause = Duration.seconds(5)
    private static let attempts = 3

    /// It left the screen, but is still in the engine's list.
    mutating func leaveScreen(_ key: ShownKey) {
        guard var entry = entries[key] else { return }
        shown[entry.serverID] = nil
        // A running call may bring it back under the same id.
        if flight?.key != key { (entry.serverID, entry.server) = (0, nil) }
        if entry.place == .shown { entry.place = .listed }
        entries[key] = entry
        forgetPicture(of: key)
        keep(key)
    }
}

extension ShownKey: Comparable {
    /// Sorts notifications in the order in which engines numbered them.
    package static func < (left: Self, right: Self) -> Bool {
        (left.notification, left.group, left.source)
            < (right.notification, right.group, right.source)
    }
}

/// What the user does with a notification.
extension Presenter {
    /// `reason` is that of the specification: 1 expired, 2 dismissed by the user, 3 closed by a
    /// call.
    mutating func closed(_ key: ShownKey, _ reason: UInt32, _ now: Duration) {
        let isByUser =
            reason == Self.dismissedByUser || reason == Self.expired && mayNotExpire(key, now)
        leaveScreen(key)
        if reason != Self.closedByCall, isClosedByPress(key, now) { return bringBack(key) }
        if isByUser { dismiss(key) }
    }

    private static let expired: UInt32 = 1
    private static let dismissedByUser: UInt32 = 2
    private static let closedByCall: UInt32 = 3

    /// Whether it was too early to expire. Some servers report dismissal by the user as expiry.
    private func mayNotExpire(_ key: ShownKey, _ now: Duration) -> Bool {
        guard case .present(let server) = server, let lifetime = server.leastLifetime,
            let entry = entries[key]
        else { return false }
        // A call never expires.
        if entry.notification?.kind == .call { return true }
        return entry.shownAt.map { now - $0 < lifetime } ?? false
    }

    mutating func dismiss(_ key: ShownKey) {
        guard let entry = entries[key], entry.place != .dismissed else { return }
        guard key.notification == 0 else {
            guard sources[key.source]?.consent.dismissal != .here else { return setAside(key) }
            return settle(key, .remove(group: key.group, notification: key.notification))
        }
        for key in members(of: key.source) { dismiss(key) }
        sources[key.source]?.passed = [:]
        remove(key)
    }

    /// It stays in the engine's list, where other screens have it, and does not come up here again
    /// until it changes.
    mutating func setAside(_ key: ShownKey) {
        entries[key]?.place = .aside
        keep(key)
    }

    /// Sends the requests; the notification is removed when the engine confirms.
    private mutating func settle(_ key: ShownKey, _ requests: EngineRequest...) {
        entries[key]?.place = .dismissed
        entries[key]?.requests = requests
        keep(key)
        for request in requests { actions.append(.request(source: key.source, request)) }
    }

    mutating func invoked(_ key: ShownKey, _ name: String, _ id: UInt32, _ now: Duration) {
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
                    key, .mute(chat: entry.chat.id, seconds: Int(mute.seconds)),
                    .remove(group: key.group, notification: key.notification))
            }
            guard let index = ActionKey.ownIndex(name), index < notification.actions.count else {
                return
            }
            let action = notification.actions[index]
            guard [.own, .answer].contains(action.kind) else {
                return press(key, action, token, now)
            }
            act(key, action.name, link: action.link, token)
        }
    }

    mutating func replied(_ key: ShownKey, _ text: String) {
        guard let entry = entries[key], entry.notification?.isClear == false,
            !text[...].trimmed.isEmpty, entry.place != .dismissed
        else { return }
        if let answer = entry.notification?.replyAction { return act(key, answer.name, text: text) }
        guard sources[key.source]?.consent.takesReplies == true else { return }
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
