import Testing

@testable import Notifications

@Suite("Merging of waiting updates")
struct UpdateMergerTests {
    private func notification(_ id: Int32, _ text: String = "") -> Notification {
        let message = PushMessage(
            id: ChatMessageID(server: Int64(id)), sender: .user(1), senderName: "",
            isOutgoing: false,
            content: PushContent(.text, text: text))
        return Notification(
            id: id, date: Int64(id), isSilent: false, content: .newPushMessage(message),
            level: .webpush)
    }

    private func update(
        _ added: [Int32], _ removed: [Int32] = [], sound: Int64 = -1, total: Int = 0,
        settings: Int64 = 1
    ) -> UpdateQueue.Item {
        .group(
            GroupUpdate(
                groupID: 1, kind: .messages, chatID: ChatID(1), settingsChatID: ChatID(settings),
                soundID: sound, totalCount: total, added: added.map { notification($0) },
                removed: removed))
    }

    /// Added, removed, sound and count of each update that is left.
    private func merged(_ items: [UpdateQueue.Item], isVisible: Bool = true) -> [String] {
        UpdateMerger.merge(items, isVisible: isVisible).map { item in
            switch item {
            case .edit(let notification): "edit \(notification.id)"
            case .group(let update):
                "+\(update.added.map(\.id)) -\(update.removed) \(update.soundID) "
                    + "of \(update.totalCount)"
            }
        }
    }

    @Test("A notification added and removed before it was sent is not announced")
    func cancelled() {
        let items = [update([2], total: 1), update([], [2], sound: 0, total: 1)]
        #expect(merged(items, isVisible: false) == [])
        #expect(merged(items) == ["+[] -[] 0 of 1"], "the count of a group that can be seen")
        let last = [update([2], total: 1), update([], [2], sound: 0, total: 0)]
        #expect(merged(last, isVisible: false) == ["+[] -[] 0 of 0"], "and that a group has ended")
    }

    @Test("A removal moves to the front, and an update left empty leaves its count")
    func removal() {
        let items = [update([7], total: 3), update([], [2], sound: 0, total: 2)]
        #expect(merged(items) == ["+[7] -[2] -1 of 2"])
    }

    @Test("Neighbours with the same sound are merged, others are not")
    func neighbours() {
        #expect(merged([update([1]), update([2], total: 2)]) == ["+[1, 2] -[] -1 of 2"])
        #expect(
            merged([update([1], sound: 5), update([2], total: 2)])
                == ["+[1] -[] 5 of 0", "+[2] -[] -1 of 2"])
        #expect(
            merged([update([1]), update([2], settings: 2)])
                == ["+[1] -[] -1 of 0", "+[2] -[] -1 of 0"])
        #expect(
            merged([update([], [1], sound: 0), update([2], sound: 0, settings: 2)])
                == ["+[2] -[1] 0 of 0"])
    }

    @Test("The first addition keeps its sound, the last text wins")
    func edits() {
        let items = [
            update([1]), .edit(notification(1, "new")), update([], [1], sound: 0),
            update([1], sound: 0, total: 1),
        ]
        #expect(merged(items) == ["+[1] -[] -1 of 1"])
        guard
            case .group(let first) = UpdateMerger.merge(
                [update([1]), .edit(notification(1, "new"))], isVisible: true)[0]
        else { return }
        #expect(first.added == [notification(1, "new")])
    }

    @Test("A notification removed and added again is announced as both, in this order")
    func readded() {
        let items = [update([], [1], sound: 0), update([1, 2], sound: 0, total: 2)]
        #expect(merged(items) == ["+[] -[1] 0 of 0", "+[1, 2] -[] 0 of 2"])
        #expect(
            merged(items + [update([], [1], sound: 0, total: 1), update([1], sound: 0, total: 2)])
                == ["+[] -[1] 0 of 0", "+[1, 2] -[] 0 of 2"], "however often")
    }

    @Test("A notification that was changed and then removed is removed")
    func changedAndRemoved() {
        let items = [.edit(notification(1, "new")), update([], [1], sound: 0, total: 2)]
        #expect(merged(items) == ["+[] -[1] 0 of 2"])
    }

    @Test("A new count alone is announced")
    func count() {
        #expect(merged([update([], sound: 0, total: 4)]) == ["+[] -[] 0 of 4"])
    }
}
