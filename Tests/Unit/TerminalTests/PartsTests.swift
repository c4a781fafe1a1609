import Testing

@testable import Terminal

@Suite("Lists with a selection")
struct ScrollingListTests {
    @Test("The selection stays on its item, or on the place of one that is gone")
    func selection() {
        var list = ScrollingList<Int>()
        #expect(list.selected == nil && list.visible(5) == 0..<0)
        list.update([1, 2, 3])
        list.move(by: 1)
        list.update([9, 1, 2, 3])
        #expect(list.selected == 2)
        list.update([9, 1, 3])
        #expect(list.selected == 3)
        list.update([9])
        #expect(list.selected == 9)
        list.update([])
        #expect(list.selected == nil && list.index == 0)
    }

    @Test("The selected item is on the screen, and no row is wasted")
    func scrolling() {
        var list = ScrollingList<Int>()
        list.update(Array(0..<20))
        #expect(list.visible(5) == 0..<5)
        #expect(list.take(.end, page: 5) && list.visible(5) == 15..<20)
        #expect(list.take(.pageUp, page: 5) && list.visible(5) == 15..<20)
        #expect(list.take(.up, page: 5) && list.visible(5) == 14..<19)
        #expect(list.visible(50) == 0..<20)
        #expect(list.take(.home, page: 5) && list.visible(0) == 0..<1)
        let isTaken = list.take(.enter, page: 5)
        #expect(!isTaken)
    }
}

@Suite("Small bars")
struct SparklineTests {
    @Test("The largest value is the highest bar")
    func bars() {
        #expect(Sparkline.text([0, 1, 2, 4], width: 10) == "▁▃▅█")
        #expect(Sparkline.text([0, 1, 2, 4], width: 2) == "▅█")
        #expect(Sparkline.text([0, 0], width: 5) == "▁▁")
        #expect(Sparkline.text([-1, .infinity, .nan], width: 5).count == 3)
        #expect(Sparkline.text([], width: 5) == "")
    }
}

@Suite("Columns of a table")
struct ColumnWidthsTests {
    @Test("The widest columns shrink first, and the last ones go if nothing else helps")
    func fit() {
        #expect(ColumnWidths.fit([5, 6, 7], into: 30) == [5, 6, 7])
        #expect(ColumnWidths.fit([5, 30, 7], into: 30) == [5, 14, 7])
        #expect(ColumnWidths.fit([20, 20], into: 12) == [5, 5])
        #expect(ColumnWidths.fit([20, 20, 20], into: 10) == [4, 4, 0])
        #expect(ColumnWidths.fit([20, 20], into: 3) == [3, 0])
        #expect(ColumnWidths.fit([], into: 3) == [])
        #expect(ColumnWidths.fit([3], into: 0) == [0])
    }
}
