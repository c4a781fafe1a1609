import Base
import Foundation
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Files of topics at stores that stay alike")
struct CopiedFileTests {
    typealias Group = FollowingTests.Group

    @Test(
        "Each store gets the file, and gives it when the one that took it is gone",
        arguments: [1, FileChunks.length, 3 * FileChunks.length + 17])
    func copied(size: Int) throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let bytes = TestStore.bytes(size)
        let (id, message) = try first.post(file: bytes, to: topic)
        try group.settle()
        #expect(try second.has(1))
        let places = try [first, second].map { URL(filePath: try $0.place(of: id)) }
        #expect(try Data(contentsOf: places[0]) == Data(contentsOf: places[1]))
        first.close()
        #expect(try second.content(id) == bytes && second.files.bytes == size)
        try second.post("", to: topic, .delete, sequence: message.sequence, lifetime: 0)
        try second.settleFiles()
        #expect(try second.fileNames.isEmpty && second.files.bytes == 0)
        try first.restart()
        try group.settle()
        try first.settleFiles()
        #expect(try first.fileNames.isEmpty && first.files.bytes == 0)
    }

    @Test("Who is asked for a file that is missing asks at once, and then gives it")
    func asked() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        group.log.peers.patience = 0.2
        group.log.peers.change = { _, _, _, _ in nil }
        let bytes = TestStore.bytes(2 * FileChunks.length)
        let (id, _) = try first.post(file: bytes, to: topic)
        try group.settle()
        guard case .elsewhere = try second.read(id) else {
            Issue.record("the other store has the file")
            return
        }
        #expect(becomes { second.files.missingCount == 1 })
        #expect(first.files.missingCount == 0)
        #expect(second.files.bytes == bytes.count)
        group.log.peers.patience = 10
        group.log.peers.change = { _, _, _, answer in answer }
        #expect(try second.given(id) == bytes)
        #expect(becomes { second.files.missingCount == 0 })
    }

    @Test("A store that was away gets what came meanwhile, the newest first, a few at once")
    func away() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        try group.settle()
        second.close()
        let ids = try (0..<12).map { try first.post(file: [UInt8($0)], to: topic).file }
        try second.restart()
        #expect(try second.has(12))
        for (number, id) in ids.enumerated() { #expect(try second.content(id) == [UInt8(number)]) }
        let named = group.log.peers.asked.compactMap { $0.chunk == nil ? $0.mark?.name : nil }
        let newest = try ids.reversed().map { try first.place(of: $0) }
        let places = named.map { first.fileFolder + "/" + $0 }
        // Answers may come in another order.
        #expect(Set(places.prefix(4)) == Set(newest.prefix(4)))
        #expect(Set(places.suffix(4)) == Set(newest.suffix(4)))
        #expect(group.log.peers.mostAtOnce <= MissingFiles.withReaders)
    }

    @Test("A store that begins with a copy, or lost its folder, gets all files that are left")
    func folder() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        let (kept, _) = try first.post(file: [1, 2], to: topic)
        let (_, message) = try first.post(file: [3], to: topic)
        try group.settle()
        #expect(try second.has(2))
        second.close()
        try first.post("", to: topic, .delete, sequence: message.sequence, lifetime: 0)
        try FileManager.default.removeItem(atPath: second.fileFolder)
        try second.restart()
        #expect(try second.has(1))
        #expect(try second.content(kept) == [1, 2] && second.files.bytes == 2)
    }

    @Test("A file that ends on its way leaves nothing, and its reader is told")
    func ended() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        // The first chunk comes, and the second one does not.
        group.log.peers.patience = 60
        group.log.peers.change = { _, _, question, answer in
            question.chunk == 1 ? nil : answer
        }
        let bytes = TestStore.bytes(2 * FileChunks.length)
        let (id, message) = try first.post(file: bytes, to: topic)
        try group.settle()
        let answer = Monitor<FileReading?>(nil)
        second.files.read(id, 0..<10) { reading in
            answer.withLock { $0 = reading }
            answer.signal()
        }
        #expect(becomes { group.log.peers.asked.contains { $0.chunk == 1 } })
        try first.post("", to: topic, .delete, sequence: message.sequence, lifetime: 0)
        try group.settle()
        guard case .none? = answer.wait(atMost: 30_000, { $0 }) else {
            Issue.record("the reader is told something else")
            return
        }
        try second.settleFiles()
        #expect(try second.fileNames.isEmpty && second.files.bytes == 0)
        #expect(becomes { second.files.missingCount == 0 })
    }

    @Test("A store with too little room asks for no file, and serves the others")
    func disk() throws {
        let free = Lock(1_000_000)
        let group = try Group(2) { options in
            let isFirst = options.log?.node == "node-0"
            options.space = { _ in
                DiskSpace(free: isFirst ? 1_000_000 : free.withLock { $0 }, whole: 1_000_000)
            }
        }
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        free.withLock { $0 = 100_009 }
        let (large, _) = try first.post(file: TestStore.bytes(10), to: topic)
        let (small, _) = try first.post(file: TestStore.bytes(9), to: topic)
        try group.settle()
        #expect(try second.has(1))
        #expect(try second.content(small)?.count == 9)
        guard case .elsewhere = try second.read(large) else {
            Issue.record("the file is there")
            return
        }
        free.withLock { $0 = 1_000_000 }
        #expect(try second.given(large)?.count == 10)
    }

    @Test("A store that ends while readers wait answers them")
    func closing() throws {
        let group = try Group(2)
        let (first, second) = (group.stores[0], group.stores[1])
        let topic = try first.addTopic()
        group.log.peers.change = { _, _, question, answer in question.chunk == nil ? answer : nil }
        let (id, _) = try first.post(file: [1], to: topic)
        try group.settle()
        let answer = Monitor<FileReading?>(nil)
        second.files.read(id, 0..<1) { reading in
            answer.withLock { $0 = reading }
            answer.signal()
        }
        second.close()
        switch answer.wait(atMost: 10_000, { $0 }) {
        case .unavailable?, .elsewhere?: break
        default: Issue.record("the reader still waits")
        }
    }
}

/// Waits until it is so, for a minute at most.
private func becomes(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    while !condition(), Date() < deadline { usleep(2_000) }
    return condition()
}
