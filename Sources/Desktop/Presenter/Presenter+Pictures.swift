import Notifications
import Pictures

/// Pictures that the server has. A notification is shown at once, and changes in place when its picture
/// has come.
extension Presenter {
    /// So many pictures are kept for what is on the screen. What has an older one is asked for it again
    /// if it changes.
    private static let kept = 32

    /// Asks once, and only for what is on the screen.
    mutating func askForPicture(of key: ShownKey) {
        guard let entry = entries[key], entry.place == .shown,
            let notification = entry.notification,
            !notification.picture.isEmpty, notification.picture != entry.pictureName
        else { return }
        entries[key]?.pictureName = notification.picture
        actions.append(.fetchPicture(key, name: notification.picture))
    }

    /// It may be that of an earlier state, or come after the notification has gone.
    mutating func show(_ picture: Picture, _ name: String, at key: ShownKey) {
        guard let entry = entries[key], entry.notification?.picture == name,
            entry.pictureName == name
        else { return }
        entries[key]?.picture = picture
        pictured.removeAll { $0 == key }
        pictured.append(key)
        if pictured.count > Self.kept { forgetPicture(of: pictured[0]) }
        redraw(key)
    }

    mutating func forgetPicture(of key: ShownKey) {
        entries[key]?.picture = nil
        entries[key]?.pictureName = ""
        pictured.removeAll { $0 == key }
    }
}
