/// All groups by their ids.
package struct GroupTable: Sendable, Equatable {
    private var groups: [NotificationGroup.ID: NotificationGroup] = [:]

    package subscript(id: NotificationGroup.ID) -> NotificationGroup? {
        get { groups[id] }
        set { groups[id] = newValue }
        _modify { yield &groups[id] }
    }

    /// Removes a group, for callers that change much of it: changed in the table, it would be
    /// copied.
    mutating func remove(_ id: NotificationGroup.ID) -> NotificationGroup? {
        groups.removeValue(forKey: id)
    }

    /// Changes a group in place, which is faster than the subscript.
    mutating func change(
        _ id: NotificationGroup.ID, _ body: (inout NotificationGroup) -> Void
    ) {
        guard let index = groups.index(forKey: id) else { return }
        body(&groups.values[index])
    }

    /// Sorted by id.
    package var all: [NotificationGroup] { groups.values.sorted { $0.id < $1.id } }

    package var ids: [NotificationGroup.ID] { groups.keys.sorted() }
}
