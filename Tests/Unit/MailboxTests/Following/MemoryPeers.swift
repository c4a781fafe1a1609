import Foundation

@testable import Mailbox

/// Stores that ask each other in memory.
// Unchecked: all state is only touched under the lock.
final class MemoryPeers: @unchecked Sendable {
    /// Makes another answer of one; nil loses it. It gets the names of who answers and who asks.
    typealias Change =
        @Sendable (_ peer: String, _ asker: String, FileQuestion, PeerAnswer) -> PeerAnswer?

    private let lock = NSLock()
    private var listeners: [String: @Sendable (PeerQuestion) -> Void] = [:]
    private var nextChange: Change = { _, _, _, answer in answer }
    private var questions: [FileQuestion] = []
    private var nextPatience = 10.0
    private var waiting = 0
    private var mostWaiting = 0

    var change: Change {
        get { lock.withLock { nextChange } }
        set { lock.withLock { nextChange = newValue } }
    }

    /// How long a question waits for an answer, in seconds.
    var patience: Double {
        get { lock.withLock { nextPatience } }
        set { lock.withLock { nextPatience = newValue } }
    }

    /// What was asked so far.
    var asked: [FileQuestion] { lock.withLock { questions } }
    /// How many questions waited for answers at the same time.
    var mostAtOnce: Int { lock.withLock { mostWaiting } }

    func forget() { lock.withLock { questions = [] } }

    func seat(_ node: String) -> any StorePeers { Seat(node, self) }

    fileprivate func ask(
        _ bytes: [UInt8], from asker: String, of peer: String?, butNot others: Set<String>,
        then: @escaping @Sendable (PeerAnswer?) -> Void
    ) {
        guard let question = FileQuestion.decoded(bytes) else { return then(nil) }
        let heard = lock.withLock {
            questions.append(question)
            waiting += 1
            mostWaiting = max(mostWaiting, waiting)
            return listeners.filter { $0.key != asker && peer ?? $0.key == $0.key }
        }
        let end = AwaitedOnce { [self] answer in
            lock.withLock { waiting -= 1 }
            then(answer)
        }
        guard !heard.isEmpty else { return end.call(nil) }
        for (name, hear) in heard {
            hear(
                PeerQuestion(bytes: bytes) { [self] answer in
                    let given = PeerAnswer(peer: name, bytes: answer)
                    guard let changed = change(name, asker, question, given),
                        !others.contains(changed.peer)
                    else { return }
                    end.call(changed)
                })
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { end.call(nil) }
    }

    /// Asks a store something that no store would ask. Nobody waits for an answer.
    func tell(_ bytes: [UInt8], to node: String) {
        lock.withLock { listeners[node] }?(PeerQuestion(bytes: bytes) { _ in })
    }

    /// Calls a function once.
    private final class AwaitedOnce: @unchecked Sendable {
        private let lock = NSLock()
        private var function: (@Sendable (PeerAnswer?) -> Void)?

        init(_ function: @escaping @Sendable (PeerAnswer?) -> Void) { self.function = function }

        func call(_ answer: PeerAnswer?) {
            let function = lock.withLock {
                defer { self.function = nil }
                return self.function
            }
            function?(answer)
        }
    }

    private final class Seat: StorePeers {
        private let node: String
        private let peers: MemoryPeers

        init(_ node: String, _ peers: MemoryPeers) { (self.node, self.peers) = (node, peers) }

        func ask(
            _ question: [UInt8], of peer: String?, butNot others: Set<String>,
            then: @escaping @Sendable (PeerAnswer?) -> Void
        ) { peers.ask(question, from: node, of: peer, butNot: others, then: then) }

        func listen(_ hear: @escaping @Sendable (PeerQuestion) -> Void) {
            peers.lock.withLock { peers.listeners[node] = hear }
        }
    }
}
