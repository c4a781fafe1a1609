import Base
import Crypto
import Delivery
import Foundation
import Mailbox
import System
import TestSupport
import Testing
import Topics
import WebPush

@testable import Cluster

/// What nodes ask each other, and the files of topics that they get by that.
extension ClusterTests {
    private func settings(_ name: String, _ user: ClusterUser) -> ClusterSettings {
        servers.settings(name, user: user.rawValue)
    }

    @Test("Nodes ask all others or one of them, and whoever asks hears of nobody's silence")
    func peers() async throws {
        let names = ["a", "b b", "ü"]
        let nodes = try names.map { try ClusterConnection(settings($0, .peers)) }
        let long = [UInt8](repeating: 7, count: 70_000)
        try await onThread {
            for (name, node) in zip(names, nodes) {
                node.peers.listen { question in
                    switch question.bytes {
                    case [1]: question.answer(Array(name.utf8))
                    case [2] where name == "ü": question.answer(long)
                    default: break
                    }
                }
            }
            let asker = nodes[0].peers
            // The server may hear of a question before it hears of who listens.
            for name in names.dropFirst() {
                #expect(becomes { asker.answer([1], of: name) != nil })
            }
            #expect(asker.answer([1], of: "b b")?.bytes == Array("b b".utf8))
            #expect(asker.answer([1], butNot: ["a", "ü"])?.peer == "b b")
            #expect(asker.answer([2])?.bytes == long)
            let asked = Boot.milliseconds
            #expect(asker.answer([3]) == nil)
            #expect(asker.answer([1], of: "nobody") == nil)
            #expect(asker.answer([1], butNot: Set(names)) == nil)
            #expect(Boot.milliseconds - asked < 10_000)
            nodes[1].close()
            #expect(asker.answer([1], of: "b b") == nil)
            #expect(asker.answer([1], butNot: ["a"])?.peer == "ü")
        }
        nodes[0].close()
        nodes[2].close()
    }

    @Test("A file comes to the cluster with its store, to every node, and stays when its node ends")
    func files() async throws {
        let (first, second) = try Machine.pair()
        let (own, others) = (settings("a", .files), settings("b", .files))
        try await onThread {
            let (topic, old) = try alone(first)
            try first.arrive(own)
            let b = try ClusterConnection(others)
            // Until the first node has its store, there is none in the cluster.
            let (other, new) = try serve(own, first) { store throws in
                let other = try b.openStore(second.options, node: "b")
                #expect(try topic.content(old, at: other) == FiledTopic.bytes(1))
                let new = try topic.post(2, at: store)
                #expect(becomes { second.fileCount == 2 })
                return (other, new)
            }
            #expect(try topic.content(new, at: other) == FiledTopic.bytes(2))
            let last = try topic.post(3, at: other)
            try serve(own, first) { store throws in
                #expect(becomes { first.fileCount == 3 })
                #expect(try topic.content(last, at: store) == FiledTopic.bytes(3))
            }
            other.close()
            b.close()
        }
    }

    /// A store has its folder until nobody knows it any more.
    private func alone(_ machine: Machine) throws -> (FiledTopic, FileID) {
        let store = try SQLiteStore(machine.options)
        defer { store.close() }
        let topic = try FiledTopic(machine, store)
        return (topic, try topic.post(1, at: store))
    }

    private func serve<Result>(
        _ settings: ClusterSettings, _ machine: Machine, _ body: (SQLiteStore) throws -> Result
    ) throws -> Result {
        let node = try ClusterConnection(settings)
        defer { node.close() }
        let store = try node.openStore(machine.options, node: "a")
        defer { store.close() }
        return try body(store)
    }
}

extension NodePeers {
    fileprivate func answer(
        _ question: [UInt8], of peer: String? = nil, butNot others: Set<String> = []
    ) -> PeerAnswer? {
        let answer = AwaitedValue<PeerAnswer?>()
        ask(question, of: peer, butNot: others) { answer.bring($0) }
        return answer.wait(atMost: 10_000).flatMap(\.self)
    }
}

extension Machine {
    /// How many files are whole.
    fileprivate var fileCount: Int {
        let names = (try? FolderNames.all(in: state + "/files")) ?? []
        return names.count { !$0.hasSuffix(DraftFile.ending) }
    }
}

/// A topic to which files come.
private struct FiledTopic {
    struct NoFile: Error {}

    private let machine: Machine
    private let address: Address

    init(_ machine: Machine, _ store: SQLiteStore) throws {
        self.machine = machine
        let json = """
            {"token_type":10,"app":"script","account":"a","dialect":"plain","clear":true,\
            "trust_clear":true,"topic":{}}
            """
        let device = store.index.nextDevice()
        address = Address(subscription: store.index.nextSubscription(), device: device)
        var mint = try EndpointMint(key: store.endpointKey)
        var random = RandomSupply()
        let token = try mint.make()
        let subscription = Subscription(
            address: address, kind: .receiver, channel: try ChannelID(from: &random),
            sender: .anyone, token: token, digest: try mint.digest(of: token), created: 2)
        let target = Registration.Target(
            subscription: address.subscription, token: token, keys: nil)
        let registration = Registration(
            id: try RegistrationID(from: &random), device: device, owner: "admin", created: 4_000,
            terms: try RegistrationTerms(try JSONDocument(Array(json.utf8)).root), target: target,
            secret: nil, seen: store.clock.time(at: .now()))
        machine.run(
            .registration(.create(registration, subscription, credential: nil, limit: nil, nil)),
            store)
    }

    static func bytes(_ seed: Int) -> [UInt8] {
        (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* seed &+ $0 >> 9) }
    }

    func post(_ seed: Int, at store: SQLiteStore) throws -> FileID {
        let writing = AwaitedValue<FileWriting>()
        store.index.files.write(Self.bytes(seed), TopicAttachment(), to: address.device) {
            writing.bring($0)
        }
        guard case .written(let file)? = writing.wait(atMost: 30_000) else { throw NoFile() }
        var random = RandomSupply()
        let message = TopicMessage(
            id: TopicMessageID(number: try random.word()), .message, sequence: nil, time: 100,
            expires: 90_000, TopicContent())
        let outcome = OutcomeBox()
        let post = TopicPost(message, keptFor: 80_000, with: file)
        store.submit(.registration(.post(post, address)), ticket: 1, to: outcome)
        guard case .stored? = outcome.value.wait(atMost: 30_000) else { throw NoFile() }
        return file.id
    }

    func content(_ id: FileID, at store: SQLiteStore) throws -> [UInt8] {
        let reading = AwaitedValue<FileReading>()
        store.index.files.read(id, 0..<Int.max) { reading.bring($0) }
        guard case .part(let part)? = reading.wait(atMost: 30_000) else { throw NoFile() }
        return part.bytes
    }
}
