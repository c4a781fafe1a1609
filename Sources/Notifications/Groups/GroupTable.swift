/// All groups by their ids.
package struct GroupTable: Sendable, Equatable {
    private var groups: [NotificationGroup.ID: NotificationGroup] = [:]

    package subscript(id: NotificationGroup.ID) -> NotificationGroup? {
        get { groups[id] }
        set { groups[id] = newValue }
        _modify { yield &groups[id] }
    }

    /// Takes a group out, for who changes much of it: what lies in the table is copied when it
    /// changes.
    mutating func remove(_ id: NotificationGroup.ID) -> NotificationGroup? {
        groups.removeValue(forKey: id)
    }

    /// Changes a group where it lies, if there is one; quicker than by the subscript.
    mutating func change(
        _ id: NotificationGroup.ID, _ body: (inout NotificationGroup) -> Void
    ) {
        guard let index = groups.index(forKey: id) else { return }
        body(&groups.values[index])
    }

    /// In the order of their ids.
    package var all: [NotificationGroup] { groups.values.sorted { $0.id < $1.id } }

    package var ids: [NotificationGroup.ID] { groups.keys.sorted() }
}
