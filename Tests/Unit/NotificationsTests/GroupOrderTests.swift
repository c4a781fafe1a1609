import Testing

@testable import Notifications

@Suite("Order of groups")
struct GroupOrderTests {
    private func key(_ id: Int32, _ date: Int64, chat: Int64 = 1) -> GroupKey {
        GroupKey(date: date, chatID: ChatID(chat), id: id)
    }

    @Test("The newest stand first; among equals the greater chat, then the greater group")
    func order() {
        let keys = [key(1, 5), key(2, 6), key(3, 5, chat: 9), key(4, 5)]
        #expect(keys.sorted().map(\.id) == [2, 3, 4, 1])
    }

    @Test("The visible groups are always the first of all")
    func property() {
        var generator = SystemRandomNumberGenerator()
        for limit in 0...5 {
            var order = GroupOrder(limit: limit)
            var model: [Int32: GroupKey] = [:]
            for _ in 0..<2000 {
                let id = Int32.random(in: 1...12, using: &generator)
                let date = Int64.random(in: 0...9, using: &generator)
                order.forget(id)
                while order.fill() != nil {}
                _ = order.place(key(id, date))
                model[id] = date == 0 ? nil : key(id, date)
                #expect(order.visible == Array(model.values.sorted().prefix(limit)))
                #expect(order.nextHidden() == model.values.sorted().dropFirst(limit).first)
            }
        }
    }

    @Test("Groups that come and go leave nothing behind in the heap")
    func memory() {
        var order = GroupOrder(limit: 1)
        for date in 1...10_000 as ClosedRange<Int32> {
            _ = order.place(key(date % 3 + 1, Int64(date)))
        }
        #expect(
            Mirror(reflecting: order).children.contains {
                ($0.value as? [GroupKey])?.count ?? 0 > 200
            } == false)
    }
}
