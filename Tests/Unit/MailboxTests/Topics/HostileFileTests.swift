import Base
import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Files of topics that somebody changed, or that have no room")
struct HostileFileTests {
    private static let sealedChunk = FileChunks.length + 57

    private let test: TestStore
    private let topic: TestTopic

    init() throws {
        test = try TestStore()
        topic = try test.addTopic()
    }

    private func isDamaged(_ id: FileID, _ range: Range<Int> = 0..<Int.max) throws -> Bool {
        if case .damaged = try test.read(id, range) { true } else { false }
    }

    private func change(_ id: FileID, _ change: (inout [UInt8]) -> Void) throws {
        let place = URL(filePath: try test.place(of: id))
        var bytes = [UInt8](try Data(contentsOf: place))
        change(&bytes)
        try Data(bytes).write(to: place)
    }

    @Test("A changed byte, a cut, an addition, swapped and repeated chunks are found")
    func chunks() throws {
        let size = 2 * FileChunks.length + 100
        let length = Self.sealedChunk
        let changes: [(String, (inout [UInt8]) -> Void)] = [
            ("a changed byte", { $0[100] ^= 1 }),
            ("a changed last byte", { $0[$0.count - 1] ^= 1 }),
            ("without its last chunk", { $0.removeLast(157) }),
            ("without a byte", { $0.removeLast() }),
            ("nothing", { $0 = [] }),
            ("one byte more", { $0.append(0) }),
            (
                "swapped",
                { bytes in
                    let first = Array(bytes[0..<length])
                    bytes.replaceSubrange(0..<length, with: bytes[length..<2 * length])
                    bytes.replaceSubrange(length..<2 * length, with: first)
                }
            ),
            (
                "the first chunk twice",
                { $0.replaceSubrange(length..<2 * length, with: $0[0..<length]) }
            ),
        ]
        for (name, change) in changes {
            let (id, _) = try test.post(file: TestStore.bytes(size), to: topic)
            try self.change(id, change)
            #expect(try isDamaged(id), "\(name)")
        }
    }

    @Test("A part is given if its own chunks are as they were")
    func parts() throws {
        let bytes = TestStore.bytes(2 * FileChunks.length)
        let (id, _) = try test.post(file: bytes, to: topic)
        try change(id) { $0[0] ^= 0xFF }
        #expect(try isDamaged(id, 0..<1))
        guard case .part(let part) = try test.read(id, FileChunks.length..<bytes.count) else {
            Issue.record("the second chunk is as it was")
            return
        }
        #expect(part.bytes == Array(bytes[FileChunks.length...]))
    }

    @Test("Another file of the same size, also of another owner, does not open as this one")
    func foreign() throws {
        let other = try test.addTopic("others", owner: "bob")
        let (id, _) = try test.post(file: [1, 2, 3], to: topic)
        let (sibling, _) = try test.post(file: [4, 5, 6], to: topic)
        let (foreign, _) = try test.post(file: [7, 8, 9], to: other)
        for source in [sibling, foreign] {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: test.place(of: source))))
            try change(id) { $0 = bytes }
            #expect(try isDamaged(id))
        }
    }

    @Test(
        "The row of another file does not open as this one", .alone("it changes the file by hand"))
    func rows() throws {
        let (id, _) = try test.post(file: [1, 2, 3], to: topic)
        let (other, _) = try test.post(file: [4, 5, 6], to: topic)
        try test.restart {
            let connection = try Connection(
                test.path + "/" + WriterDatabase.fileName, .readWrite)
            try connection.run(
                """
                UPDATE topic_file SET sealed = (SELECT sealed FROM topic_file ORDER BY row LIMIT 1)
                WHERE row = (SELECT max(row) FROM topic_file)
                """)
        }
        #expect(try test.content(id) == [1, 2, 3])
        #expect(try isDamaged(other))
    }

    @Test(
        "A link or a folder in place of a file is not followed; a lost file is elsewhere",
        .alone("the other store gives the file back"))
    func links() throws {
        let (id, _) = try test.post(file: [1], to: topic)
        let (place, aside) = (try test.place(of: id), test.folder.file("aside"))
        try FileManager.default.moveItem(atPath: place, toPath: aside)
        guard case .elsewhere = try test.read(id) else {
            Issue.record("the file is still there")
            return
        }
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: aside)
        #expect(try isDamaged(id))
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: false)
        #expect(try isDamaged(id))
    }

    @Test("A folder of files that is a link is refused at the start")
    func linkedFolder() throws {
        test.close()
        let (folder, aside) = (test.fileFolder, test.folder.file("aside"))
        try FileManager.default.moveItem(atPath: folder, toPath: aside)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: aside)
        #expect(throws: StoreFault.folder(.link(path: folder))) {
            try SQLiteStore(test.options).close()
        }
    }
}
