/// All groups by their ids.
package struct GroupTable: Sendable, Equatable {
    private var groups: [NotificationGroup.ID: NotificationGroup] = [:]

    package subscript(id: NotificationGroup.ID) -> NotificationGroup? {
        get { groups[id] }
        _modify { yield &groups[id] }
    }

    /// In the order of their ids.
    package var all: [NotificationGroup] { groups.values.sorted { $0.id < $1.id } }

    package var ids: [NotificationGroup.ID] { groups.keys.sorted() }
}
