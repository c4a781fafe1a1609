import Testing

@testable import Mailbox

@Suite("Tables of fixed-size entries")
struct FlatTableTests {
    private struct Entry: FlatEntry, Equatable {
        static let vacant = Entry(key: 0, value: 0)
        let key: UInt64
        var value: Int
    }

    @Test("The table behaves like a dictionary", arguments: 1...5)
    func likeADictionary(seed: UInt64) {
        var table = FlatTable<Entry>()
        var model: [UInt64: Int] = [:]
        var state = seed
        for step in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Few keys, so that they often collide and are removed.
            let key = state >> 33 % 700 + 1
            switch state >> 20 % 3 {
            case 0:
                #expect(table.remove(key)?.value == model.removeValue(forKey: key))
            case 1:
                table.set(Entry(key: key, value: step))
                model[key] = step
            default:
                #expect(table[key]?.value == model[key])
                #expect(table.update(key) { $0.value += 1 } != nil || model[key] == nil)
                model[key]? += 1
            }
        }
        #expect(table.count == model.count)
        for (key, value) in model { #expect(table[key]?.value == value) }
    }
}
