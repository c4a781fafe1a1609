import Base
import Delivery
import Foundation
import SQLite
import System
import TestSupport
import Testing
import Topics

@testable import Mailbox

@Suite("Room for files of topics, and what a crash leaves of them")
struct FileRoomTests {
    private func outcome(_ count: Int, _ topic: TestTopic, _ test: TestStore) throws -> String {
        switch try test.write([UInt8](repeating: 1, count: count), to: topic) {
        case .written: "written"
        case .off: "off"
        case .tooLarge: "tooLarge"
        case .fullDisk: "fullDisk"
        case .notFound: "notFound"
        case .unavailable: "unavailable"
        }
    }

    @Test("A file, a topic, an owner and the server have limits, each to the byte")
    func limits() throws {
        let test = try TestStore { options in
            options.limits.files.file = 10
            options.limits.files.topic = 15
            options.limits.files.owner = 25
            options.limits.files.all = 30
        }
        let (first, second) = (try test.addTopic("a"), try test.addTopic("b"))
        let foreign = try test.addTopic("c", owner: "bob")
        #expect(try outcome(11, first, test) == "tooLarge")
        try test.post(file: [UInt8](repeating: 1, count: 10), to: first)
        #expect(try outcome(6, first, test) == "tooLarge")
        try test.post(file: [UInt8](repeating: 1, count: 5), to: first)
        #expect(try outcome(1, first, test) == "tooLarge")
        try test.post(file: [UInt8](repeating: 1, count: 10), to: second)
        #expect(try outcome(1, second, test) == "tooLarge")
        #expect(try outcome(6, foreign, test) == "tooLarge")
        let (_, message) = try test.post(file: [UInt8](repeating: 1, count: 5), to: foreign)
        try test.restart()
        #expect(test.files.bytes == 30 && test.files.bytes(ofTopic: first.device) == 15)
        let owner = test.store.index.owner(ofDevice: first.device)
        #expect(test.files.bytes(ofOwner: owner) == 25)
        #expect(try outcome(1, foreign, test) == "tooLarge")
        try test.post("", to: foreign, .delete, sequence: message.sequence, lifetime: 0)
        #expect(try outcome(5, foreign, test) == "written")
    }

    @Test("Files can be turned off, and those that are there can still be read")
    func off() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (id, _) = try test.post(file: [1], to: topic)
        test.files.allow(0)
        #expect(try outcome(1, topic, test) == "off")
        #expect(try test.content(id) == [1])
    }

    @Test("A tenth of the disk stays free")
    func disk() throws {
        let free = Lock(1_010)
        let test = try TestStore { options in
            options.space = { _ in DiskSpace(free: free.withLock { $0 }, whole: 10_000) }
        }
        let topic = try test.addTopic()
        #expect(try outcome(11, topic, test) == "fullDisk")
        #expect(try outcome(10, topic, test) == "written")
        free.withLock { $0 = 999 }
        #expect(try outcome(1, topic, test) == "fullDisk")
        #expect(test.files.bytes == 0)
    }

    @Test("A file that cannot be written leaves nothing, and the next one is taken")
    func unwritable() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        try FileManager.default.removeItem(atPath: test.fileFolder)
        #expect(try outcome(1, topic, test) == "unavailable")
        #expect(test.files.bytes == 0)
        try PrivateFolder.make(test.fileFolder)
        #expect(try outcome(1, topic, test) == "written")
    }

    @Test("A file without a message goes at once, and the room comes back")
    func givenUp() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        do {
            let file = try test.received([1, 2], for: topic)
            #expect(try test.fileNames.count == 1 && test.files.bytes == file.size)
        }
        #expect(try test.losesAllFiles())
    }

    @Test("A file that came after the end of its topic, or for another one, goes")
    func endedTopic() throws {
        let test = try TestStore()
        let (topic, other) = (try test.addTopic("a"), try test.addTopic("b"))
        do {
            let post = TopicPost(
                try test.message("text", time: 100), keptFor: 60,
                with: try test.received([1], for: topic))
            let outcome = try test.run(.registration(.post(post, other.address)))
            #expect(outcome.isStored)
        }
        do {
            let file = try test.received([1], for: topic)
            try test.expectDone(.registration(.end(device: topic.device)))
            #expect(try outcome(1, topic, test) == "notFound")
            let post = TopicPost(try test.message("text", time: 100), keptFor: 60, with: file)
            #expect(try test.run(.registration(.post(post, topic.address))) == .notFound)
        }
        #expect(try test.losesAllFiles())
    }

    @Test("What a kill leaves between file and message goes at the next start; the rest stays")
    func orphans() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (id, _) = try test.post(file: [1], to: topic)
        let kept = try test.fileNames
        try test.restart {
            for name in [String(repeating: "0", count: 32), kept[0] + DraftFile.ending, "stray"] {
                try Data([1]).write(to: URL(filePath: test.fileFolder + "/" + name))
            }
        }
        try test.settleFiles()
        #expect(try test.fileNames == kept && test.content(id) == [1])
    }

    @Test(
        "A commit whose answer was lost keeps its file",
        .alone("the test has a log of its own"))
    func doubt() throws {
        let group = try FollowingTests.Group(1)
        let (test, log) = (group.stores[0], group.log)
        let topic = try test.addTopic()
        log.fate = .storedSilently
        let id: FileID
        do {
            let file = try test.received([1, 2], for: topic)
            id = file.id
            let post = TopicPost(try test.message("text", time: 100), keptFor: 60, with: file)
            #expect(try test.run(.registration(.post(post, topic.address))) == .unavailable)
        }
        log.fate = .stored
        let deadline = Date(timeIntervalSinceNow: 30)
        while try test.run(.touchDevice(0, at: 0)) == .unavailable, Date() < deadline {
            usleep(10_000)
        }
        try test.settleFiles()
        #expect(try test.content(id) == [1, 2] && test.files.bytes == 2)
    }

    @Test(
        "A restore keeps the files that are in the folder, and drops the others",
        .alone("only a store of one machine is restored"))
    func restored() throws {
        let test = try TestStore()
        let topic = try test.addTopic()
        let (id, _) = try test.post(file: [1], to: topic)
        let (lost, _) = try test.post(file: [2], to: topic)
        let path = try test.backUp()
        let (ended, message) = try test.post(file: [3], to: topic)
        try test.post("", to: topic, .delete, sequence: message.sequence, lifetime: 0)
        let restored = test.folder.file("restored") + "/" + TopicFiles.folderName
        try PrivateFolder.make(restored)
        let place = try test.place(of: id)
        try FileManager.default.copyItem(
            atPath: place, toPath: restored + place.dropFirst(test.fileFolder.count))
        try test.restore(path, former: true)
        #expect(try test.content(id) == [1] && test.files.bytes == 1)
        for gone in [lost, ended] {
            guard case .none = try test.read(gone) else {
                Issue.record("a file came back")
                return
            }
        }
    }
}
