/// The other stores that follow a log. They can be asked for what is not in it.
package protocol StorePeers: AnyObject, Sendable {
    /// Asks one of them, or all. `then` is called once, on any thread, with the first answer that
    /// comes from none of `others`; with nil if there is none within some seconds.
    func ask(
        _ question: [UInt8], of peer: String?, butNot others: Set<String>,
        then: @escaping @Sendable (PeerAnswer?) -> Void)
    /// `hear` is called on any thread with what other stores ask, and perhaps with what this one
    /// asks all.
    func listen(_ hear: @escaping @Sendable (PeerQuestion) -> Void)
}

package struct PeerAnswer: Sendable {
    /// The name in the log of the store that answers.
    package let peer: String
    package let bytes: [UInt8]

    package init(peer: String, bytes: [UInt8]) { (self.peer, self.bytes) = (peer, bytes) }
}

package struct PeerQuestion: Sendable {
    package let bytes: [UInt8]
    /// Any thread may call it, once or not at all. The answer may get lost.
    package let answer: @Sendable ([UInt8]) -> Void

    package init(bytes: [UInt8], answer: @escaping @Sendable ([UInt8]) -> Void) {
        (self.bytes, self.answer) = (bytes, answer)
    }
}
