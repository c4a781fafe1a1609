/// A point in the store's own time, which only goes forward.
package struct StoreTime: Hashable, Comparable, Sendable {
    package let milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    package static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    package func adding(seconds: UInt32) -> StoreTime {
        StoreTime(milliseconds: milliseconds + Int64(seconds) * 1_000)
    }
}
