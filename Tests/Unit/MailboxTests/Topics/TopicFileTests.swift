import Base
import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Files of topics")
struct TopicFileTests {
    @Test(
        "A file comes back as it was, whole and in parts, also after a restart",
        arguments: [1, FileChunks.length - 1, FileChunks.length, 3 * FileChunks.length + 17])
    func content(size: Int) throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let bytes = TestStore.bytes(size)
        let (id, _) = try test.post(file: bytes, to: topic)
        for _ in 0..<2 {
            #expect(try test.content(id) == bytes)
            let range = size / 3..<size - size / 4
            guard case .part(let part) = try test.read(id, range) else {
                Issue.record("the file cannot be read")
                return
            }
            #expect(part.bytes == Array(bytes[range]) && part.start == range.lowerBound)
            #expect(part.name == "log.txt" && part.type == "text/plain" && part.size == size)
            #expect(part.device == topic.device)
            try test.restart()
        }
    }

    @Test("The largest file is read in pieces, and a larger one is refused")
    func largest() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let limit = test.options.limits.files.file
        let bytes = [UInt8](repeating: 7, count: limit)
        let (id, _) = try test.post(file: bytes, to: topic)
        guard case .part(let part) = try test.read(id) else {
            Issue.record("the file cannot be read")
            return
        }
        #expect(part.bytes.count == TopicFiles.partLimit)
        #expect(try test.content(id) == bytes)
        guard case .tooLarge = try test.write(bytes + [7], to: topic) else {
            Issue.record("the file is not too large")
            return
        }
    }

    @Test("An id is unknown unless it was given, and neither folder nor database has it")
    func ids() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (id, _) = try test.post(file: Array("marker-93ab".utf8), to: topic)
        let text = id.text
        #expect(text.utf8.count == 22 && FileID(text) == id)
        #expect(FileID(text.dropLast()) == nil && FileID(text.dropLast() + ".") == nil)
        guard case .none = try test.read(FileID(high: id.high, low: id.low ^ 1)) else {
            Issue.record("another id opens the file")
            return
        }
        test.close()
        let folders = [test.path, test.fileFolder]
        for path in try folders.flatMap({ folder in
            try FolderNames.all(in: folder).map { folder + "/" + $0 }
        }) where path != test.fileFolder {
            let data = try Data(contentsOf: URL(filePath: path))
            for secret in [id.bytes, Array(text.utf8), Array("marker-93ab".utf8)] {
                #expect(data.range(of: Data(secret)) == nil)
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: test.place(of: id))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("A file ends with its message: deleted, pushed out or expired", arguments: 0..<3)
    func ends(way: Int) throws {
        let test = try TestStore { $0.limits.growth.topicHistory.count = 2 }
        let topic = try test.addTopic()
        let (other, _) = try test.post(file: [9], to: topic, lifetime: 7_200)
        let (id, message) = try test.post(file: [1, 2, 3], to: topic, sequence: "state")
        #expect(try test.fileNames.count == 2 && test.files.bytes == 4)
        switch way {
        case 0: try test.post("", to: topic, .delete, sequence: message.sequence, lifetime: 0)
        case 1: for _ in 0..<2 { try test.post("newer", to: topic) }
        default: try test.pass(seconds: 3_601)
        }
        try test.settleFiles()
        #expect(try test.content(id) == nil)
        #expect(try test.content(other) == (way == 1 ? nil : [9]))
        #expect(try test.fileNames.count == (way == 1 ? 0 : 1))
        #expect(test.files.bytes == (way == 1 ? 0 : 1))
    }

    @Test("A file ends with its topic, and with its owner", arguments: [false, true])
    func endsWithTopic(isForgotten: Bool) throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        let other = try test.addTopic("others", owner: "bob")
        let (id, _) = try test.post(file: [1], to: topic)
        let (kept, _) = try test.post(file: [2], to: other)
        if isForgotten {
            let owner = test.store.index.owner(ofDevice: topic.device)
            try test.expectDone(.forgetOwner(owner))
        } else {
            try test.expectDone(.registration(.end(device: topic.device)))
        }
        try test.settleFiles()
        #expect(try test.content(id) == nil && test.content(kept) == [2])
        #expect(try test.fileNames.count == 1 && test.files.bytes == 1)
    }

    @Test("No file lives longer than thirty days, nor longer than three hours without a message")
    func lifetime() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (long, _) = try test.post(file: [1], to: topic, lifetime: 60 * 86_400)
        let (unkept, _) = try test.post(file: [2], to: topic, lifetime: 0)
        try test.pass(seconds: 3 * 3_600 - 1)
        #expect(try test.content(unkept) == [2])
        try test.pass(seconds: 2)
        #expect(try test.content(unkept) == nil && test.content(long) == [1])
        try test.pass(seconds: 30 * 86_400)
        try test.settleFiles()
        #expect(try test.content(long) == nil && test.fileNames.isEmpty)
        #expect(try test.texts(topic).count == 1)
    }

    @Test(
        "The file of a message that comes later lives on with it, and ends if it is taken back",
        .alone("what its topic had is swept while the store closes"))
    func scheduled() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        func schedule(_ bytes: [UInt8], _ sequence: String) throws -> FileID {
            let message = try test.message("later", sequence: sequence, time: 160)
            let file = try test.received(bytes, for: topic)
            let id = file.id
            let post = TopicPost(message, keptFor: 86_400, with: file)
            try test.expectDone(
                .registration(
                    .schedule(
                        ScheduledPost(
                            post, to: topic.address, at: test.now.adding(seconds: 60),
                            isShown: false))))
            return id
        }
        let (kept, replaced) = (try schedule([1], "a"), try schedule([2], "b"))
        let replacing = try schedule([3], "b")
        try test.settleFiles()
        #expect(try test.fileNames.count == 2 && test.content(replaced) == nil)
        try test.pass(seconds: 61)
        #expect(try test.content(kept) == [1] && test.content(replacing) == [3])
        try test.post("", to: topic, .delete, sequence: "a", lifetime: 0)
        #expect(try test.content(kept) == nil && test.content(replacing) == [3])
        let late = try schedule([4], "c")
        try test.expectDone(.registration(.end(device: topic.device)))
        try test.settleFiles()
        #expect(try test.content(late) == nil && test.fileNames.isEmpty)
    }

    @Test("The export names files and their messages, and not their addresses")
    func export() throws {
        let test = try TestStore()
        let topic = try test.addTopic("builds", owner: "ann")
        let (id, message) = try test.post(file: [1, 2, 3], to: topic)
        let export = StoreExport(.owner(test.store.index.owner(ofDevice: topic.device)))
        var document: [UInt8] = []
        while case .export(let part?) = try test.load(.export(export)) { document += part }
        let text = String(decoding: document, as: UTF8.self)
        #expect(text.contains(#""message":"\#(message.id.text)""#))
        #expect(text.contains(#""size":3"#) && !text.contains(id.text))
    }
}
