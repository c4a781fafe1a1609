import Base
import Notifications
import System

/// Buttons that the desktop itself acts on, and what becomes of a press.
extension Presenter {
    /// Within this time after a press, a server closes the notification because of it.
    private static let closing = Duration.seconds(1)

    mutating func press(
        _ key: ShownKey, _ action: Presentation.Action, _ token: String?, _ now: Duration
    ) {
        guard let entry = entries[key] else { return }
        switch action.kind {
        case .own, .answer: return
        case .view:
            guard let link = ExternalLink(action.link),
                sources[key.source]?.consent.allows(link.scheme) == true
            else { return }
            actions.append(.open(link: link, nil, token: token))
            if action.clears { return dismiss(key) }
        // The second click of a double one is no other press.
        case .http where entry.press?.button == action.name && isDouble(entry, now): break
        case .copy, .http:
            let press = ButtonPress(
                of: action.name, after: entry.press, isNoted: action.kind == .http,
                freshKey: freshKey)
            // One is under way.
            guard let press else { break }
            if action.kind == .copy {
                entries[key]?.press = press
                actions.append(.copy(key, press, action.value))
            } else if let request = ButtonRequest(action, press) {
                entries[key]?.press = press
                keep(key)
                entries[key]?.sentAt = now
                actions.append(.send(key, press, request))
            }
        }
        entries[key]?.pressedAt = now
    }

    private func isDouble(_ entry: Entry, _ now: Duration) -> Bool {
        entry.sentAt.map { now - $0 < Self.closing } ?? false
    }

    /// Whether a server closed the notification because of a press on it.
    func isClosedByPress(_ key: ShownKey, _ now: Duration) -> Bool {
        entries[key]?.pressedAt.map { now - $0 < Self.closing } ?? false
    }

    /// Shows it again, without a sound: it stays until the user or its sender ends it.
    mutating func bringBack(_ key: ShownKey) {
        guard var entry = entries[key] else { return }
        entry.pressedAt = nil
        let isGone = entry.place == .listed
        if isGone { (entry.place, entry.maySound) = (.waiting, false) }
        entries[key] = entry
        guard isGone else { return }
        keep(key)
        enqueue(key)
    }

    /// The result of a press is shown where the notification is, or brings it back.
    mutating func pressEnded(_ key: ShownKey, _ press: ButtonPress, _ state: ButtonPress.State) {
        // It may have a new key since.
        let place =
            entries.first { $0.key == key && $0.value.press?.key == press.key }
            ?? entries.first { $0.value.press?.key == press.key }
        guard let (key, entry) = place, var press = entry.press, entry.place != .dismissed else {
            return
        }
        press.ended(as: state)
        entries[key]?.press = press
        keep(key)
        let action = entry.notification?.actions.first { $0.name == press.button }
        if press.isDone, action?.clears == true { return dismiss(key) }
        redraw(key)
        bringBack(key)
    }
}
