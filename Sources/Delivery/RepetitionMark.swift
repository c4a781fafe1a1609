/// By which a push is known that its sender repeats, because it heard no answer to the first.
///
/// It is made under the endpoint key from the endpoint and what the sender calls the push, so nobody
/// makes one for an endpoint that he does not know, and what is in the file names neither.
package struct RepetitionMark: Hashable, Sendable {
    /// Homeservers give up repeating after a day.
    package static let lifetime: UInt32 = 25 * 3_600

    package let key: UInt64

    package init(key: UInt64) { self.key = max(1, key) }
}
