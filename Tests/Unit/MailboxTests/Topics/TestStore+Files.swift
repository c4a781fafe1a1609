import Crypto
import Delivery
import Foundation
import System
import Topics

@testable import Mailbox

extension TestStore {
    var files: TopicFiles { store.index.files }
    var fileFolder: String { options.folder + "/" + TopicFiles.folderName }

    /// What lies in the folder of files.
    var fileNames: [String] {
        get throws { try FolderNames.all(in: fileFolder).sorted() }
    }

    /// Whether so many files are there within a minute, without those that are on their way.
    func has(_ count: Int) throws -> Bool {
        for _ in 0..<12_000 {
            if try fileNames.count(where: { !$0.hasSuffix(DraftFile.ending) }) == count {
                return true
            }
            usleep(5_000)
        }
        return false
    }

    /// Waits until the thread of files has done everything that was asked before.
    func settleFiles() throws {
        _ = try read(try FileID(from: &random))
    }

    /// Whether all files go, once whoever has worked with one lets go of it.
    func losesAllFiles() throws -> Bool {
        for _ in 0..<1_000 {
            try settleFiles()
            if try fileNames.isEmpty && files.bytes == 0 { return true }
            usleep(5_000)
        }
        return false
    }

    func write(_ bytes: [UInt8], to topic: TestTopic) throws -> FileWriting {
        var attachment = TopicAttachment()
        (attachment.name, attachment.type) = ("log.txt", "text/plain")
        let answer = Monitor<FileWriting?>(nil)
        files.write(bytes, attachment, to: topic.device) { writing in
            answer.withLock { $0 = writing }
            answer.signal()
        }
        guard let writing = answer.wait(atMost: 60_000, { $0 }) else { throw AnswerBox.Missing() }
        answer.withLock { $0 = nil }
        return writing
    }

    /// A file that is on the disk.
    func received(_ bytes: [UInt8], for topic: TestTopic) throws -> ReceivedFile {
        guard case .written(let file) = try write(bytes, to: topic) else {
            throw AnswerBox.Missing()
        }
        return file
    }

    func read(_ id: FileID, _ range: Range<Int> = 0..<Int.max) throws -> FileReading {
        let answer = Monitor<FileReading?>(nil)
        files.read(id, range) { reading in
            answer.withLock { $0 = reading }
            answer.signal()
        }
        guard let reading = answer.wait(atMost: 60_000, { $0 }) else { throw AnswerBox.Missing() }
        return reading
    }

    /// The bytes of a file, piece by piece; nil if it cannot be read.
    func content(_ id: FileID) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while case .part(let part) = try read(id, bytes.count..<Int.max) {
            bytes += part.bytes
            if bytes.count == part.size { return bytes }
        }
        return nil
    }

    /// The bytes of a file as soon as another store gives it; nil if none does within a minute.
    func given(_ id: FileID) throws -> [UInt8]? {
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            if let bytes = try content(id) { return bytes }
            usleep(5_000)
        }
        return nil
    }

    /// Posts a message with a file, and returns the id of both.
    @discardableResult
    func post(
        file bytes: [UInt8], to topic: TestTopic, sequence: String? = nil,
        lifetime: UInt32 = 3_600
    ) throws -> (file: FileID, message: TopicMessage) {
        let message = try message(
            "a file", sequence: sequence, time: 100, lifetime: lifetime)
        let file = try received(bytes, for: topic)
        let id = file.id
        let post = TopicPost(message, keptFor: lifetime, with: file)
        guard case .stored = try run(.registration(.post(post, topic.address))) else {
            throw AnswerBox.Missing()
        }
        return (id, message)
    }

    func mark(of id: FileID) throws -> FileMark {
        var hash = try SHA256()
        return try FileMark(of: id, &hash)
    }

    /// Where the file lies.
    func place(of id: FileID) throws -> String {
        fileFolder + "/" + (try mark(of: id)).name
    }

    static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }
}
