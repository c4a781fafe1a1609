/// Identifies a push that its sender repeats, because it got no answer to the first.
///
/// It is derived with the endpoint key from the endpoint and the sender's name for the push. Only
/// someone who knows the endpoint can cause a mark for it, and a stored mark reveals neither.
package struct RepetitionMark: Hashable, Sendable {
    /// Homeservers stop repeating a push after a day.
    package static let lifetime: UInt32 = 25 * 3_600

    package let key: UInt64

    package init(key: UInt64) { self.key = max(1, key) }
}
