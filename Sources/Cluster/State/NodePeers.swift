import Base
import Mailbox
import System

/// What nodes ask each other, past the log: a request to one node or to all, which no stream keeps.
final class NodePeers: StorePeers {
    /// Names of nodes are written in hexadecimal digits, so none is the one of all.
    private static let (start, all) = ("bw.file.", "all")
    /// The field with the name of the node that answers.
    private static let node = "Bw-Node"
    /// In milliseconds: how long all are asked, and one.
    private static let (patienceOfAll, patience): (Int64, Int64) = (1_000, 2_000)

    private let connection: NatsConnection
    private let name: String
    private let subscriptions = Lock<[NatsSubscription]>([])

    init(_ connection: NatsConnection, name: String) {
        (self.connection, self.name) = (connection, name)
    }

    func ask(
        _ question: [UInt8], of peer: String?, butNot others: Set<String>,
        then: @escaping @Sendable (PeerAnswer?) -> Void
    ) {
        let patience = peer == nil ? Self.patienceOfAll : Self.patience
        connection.request(
            Self.start + (peer?.utf8.hexadecimal ?? Self.all), [], question,
            before: Boot.milliseconds + patience
        ) { answer in
            guard case .message(let message) = answer, let node = message[Self.node] else {
                then(nil)
                return true
            }
            guard !others.contains(node) else { return false }
            then(PeerAnswer(peer: node, bytes: message.body))
            return true
        }
    }

    func listen(_ hear: @escaping @Sendable (PeerQuestion) -> Void) {
        let subjects = [Self.all, name.utf8.hexadecimal].map { Self.start + $0 }
        // Without the right to hear questions, this node gives nobody a file.
        let subscriptions = subjects.compactMap { subject in
            try? connection.subscribe(to: subject) { [weak self] message in
                guard let inbox = message.replyTo else { return }
                hear(
                    PeerQuestion(bytes: message.body) { [weak self] bytes in
                        self?.answer(bytes, to: inbox)
                    })
            }
        }
        self.subscriptions.withLock { $0 = subscriptions }
    }

    func stop() { subscriptions.withLock { $0 = [] } }

    private func answer(_ bytes: [UInt8], to inbox: String) {
        // If this fails, the other node asks again.
        try? connection.publish(inbox, [(Self.node, name)], bytes)
    }
}
