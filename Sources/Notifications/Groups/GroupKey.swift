/// A group's place in the list: newest first, then greater chat, then greater id.
package struct GroupKey: Equatable, Comparable, Sendable {
    package let date: Int64
    package let chatID: ChatID
    package let id: NotificationGroup.ID

    package static func < (left: Self, right: Self) -> Bool {
        if left.date != right.date { return left.date > right.date }
        if left.chatID != right.chatID { return left.chatID > right.chatID }
        return left.id > right.id
    }
}
