import Delivery
import Testing

@Suite("The mark of a push that may be repeated")
struct RepetitionMarkTests {
    @Test("Keys are different marks; zero, which means none in a table, is another key")
    func keys() {
        #expect(RepetitionMark(key: 7).key == 7 && RepetitionMark(key: .max).key == .max)
        #expect(RepetitionMark(key: 0).key == 1)
    }
}
