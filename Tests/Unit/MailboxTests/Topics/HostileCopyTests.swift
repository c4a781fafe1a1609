import Base
import Foundation
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Stores that give others wrong files")
struct HostileCopyTests {
    private static let size = 2 * FileChunks.length + 100

    enum Lie: CaseIterable {
        case changed, cut, longer, endless, empty, exchanged, ofAnotherFile, silence
    }

    /// The first store, which lies to the second one about the second file. The third one gets and
    /// gives nothing as long as it is not let in.
    private final class Liar: Sendable {
        private struct State {
            var lie: Lie?
            var mark: FileMark?
            var former: [UInt8] = []
            var isThirdIn = false
        }

        private let state = Lock(State())

        func begin(_ lie: Lie, after mark: FileMark) {
            state.withLock { ($0.lie, $0.mark) = (lie, mark) }
        }

        func letThirdIn() { state.withLock { $0.isThirdIn = true } }

        func answer(
            _ peer: String, _ asker: String, _ question: FileQuestion, _ answer: PeerAnswer
        ) -> PeerAnswer? {
            state.withLock { state in
                if asker == "node-2" || peer == "node-2" { return state.isThirdIn ? answer : nil }
                let isOther = state.lie == nil || question.mark == state.mark
                guard !isOther, question.chunk == 1 else {
                    let source = state.lie == .exchanged ? 0 : 1
                    if question.chunk == source { state.former = answer.bytes }
                    return answer
                }
                return state.lie.flatMap { Self.answer($0, answer, state.former) }
            }
        }

        private static func answer(
            _ lie: Lie, _ answer: PeerAnswer, _ former: [UInt8]
        ) -> PeerAnswer? {
            var bytes = answer.bytes
            switch lie {
            case .changed: bytes[bytes.count / 2] ^= 1
            case .cut: bytes.removeLast()
            case .longer: bytes.append(0)
            case .endless: bytes += [UInt8](repeating: 0, count: 8 << 20)
            case .empty: bytes = []
            case .exchanged, .ofAnotherFile: bytes = former
            case .silence: return nil
            }
            return PeerAnswer(peer: answer.peer, bytes: bytes)
        }
    }

    @Test(
        "What is not the file is not kept, and the rest comes from another store",
        arguments: Lie.allCases)
    func lies(lie: Lie) throws {
        let group = try FollowingTests.Group(3)
        let (first, second, third) = (group.stores[0], group.stores[1], group.stores[2])
        let topic = try first.addTopic()
        let liar = Liar()
        group.log.peers.change = { liar.answer($0, $1, $2, $3) }
        let other = TestStore.bytes(Self.size)
        let (former, _) = try first.post(file: other, to: topic)
        try group.settle()
        #expect(try second.has(1))
        group.log.peers.patience = 0.2
        liar.begin(lie, after: try first.mark(of: former))
        let bytes = [UInt8](TestStore.bytes(Self.size).reversed())
        let (id, _) = try first.post(file: bytes, to: topic)
        try group.settle()
        guard case .elsewhere = try second.read(id) else {
            Issue.record("the file is there")
            return
        }
        #expect(try second.has(1))
        group.log.peers.patience = 10
        liar.letThirdIn()
        #expect(try third.given(id) == bytes)
        #expect(try second.given(id) == bytes && second.content(former) == other)
    }

    @Test("Chunks that have come are not asked for again when another store goes on")
    func goingOn() throws {
        let group = try FollowingTests.Group(3)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        try group.settle()
        second.close()
        let bytes = TestStore.bytes(Self.size)
        let (id, _) = try first.post(file: bytes, to: topic)
        try group.settle(without: second)
        #expect(try group.stores[2].has(1))
        group.log.peers.forget()
        // Each gives one chunk.
        let givers = Lock<[Int: String]>([:])
        group.log.peers.change = { peer, _, question, answer in
            guard let chunk = question.chunk else { return answer }
            return givers.withLock { givers in
                let isNew = !givers.contains { $0.key != chunk && $0.value == peer }
                if isNew || chunk == 2 { givers[chunk] = peer }
                return isNew || chunk == 2 ? answer : PeerAnswer(peer: peer, bytes: [])
            }
        }
        try second.restart()
        #expect(try second.given(id) == bytes)
        let chunks = group.log.peers.asked.compactMap(\.chunk)
        #expect(chunks == [0, 1, 1, 2])
    }

    @Test("A store with ever new names is given up")
    func names() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let count = Lock(0)
        group.log.peers.change = { _, _, _, answer in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return PeerAnswer(peer: "liar-\(number)", bytes: answer.bytes)
        }
        let (id, _) = try first.post(file: [1], to: topic)
        try group.settle()
        guard case .elsewhere = try second.read(id) else {
            Issue.record("the file is there")
            return
        }
        #expect(try second.fileNames.isEmpty && count.withLock { $0 } <= 160)
    }

    @Test("Questions that no store asks are not answered, and those for no chunk get nothing")
    func questions() throws {
        let group = try FollowingTests.Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let long = [0, 0xFF].map { [UInt8](repeating: $0, count: 99) }
        let questions = [[], [1]] + long
        for question in questions {
            for _ in 0..<200 { group.log.peers.tell(question, to: "node-0") }
        }
        let (id, _) = try first.post(file: [1, 2, 3], to: topic)
        try group.settle()
        #expect(try second.given(id) == [1, 2, 3])
    }

    @Test("A question is read as it was written, and nothing else is one")
    func coding() throws {
        let bytes = [UInt8](0..<16)
        let found = FileMark(bytes.span)
        let mark = try #require(found)
        for chunk in [nil, 0, 1, 240, 1 << 20 - 1] {
            let question = FileQuestion(mark, chunk: chunk)
            #expect(FileQuestion.decoded(question.coded) == question)
            #expect(question.mark == mark && question.chunk == chunk)
            for length in 0..<question.coded.count {
                #expect(FileQuestion.decoded(Array(question.coded.prefix(length))) == nil)
            }
        }
        for chunk in [-1, 1 << 20, .max] {
            #expect(FileQuestion.decoded(FileQuestion(mark, chunk: chunk).coded) == nil)
        }
    }
}
