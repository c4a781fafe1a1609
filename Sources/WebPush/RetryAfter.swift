/// After how many seconds somebody who is refused may come again: every answer takes it from here.
package enum RetryAfter {
    /// Somebody tries too much within one second.
    package static let nextSecond: UInt32 = 1
    /// A program of the owner waits for a store that does not answer.
    package static let shortPause: UInt32 = 10
    /// There is no room, or no place: others have to take away or to leave first.
    package static let whenFull: UInt32 = 60
    /// The trouble is ours, or with the clocks.
    package static let trouble: UInt32 = 120
    /// Another version is needed.
    package static let update: UInt32 = 3_600
}
