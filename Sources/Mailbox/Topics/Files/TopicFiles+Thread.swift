import Base
import Crypto
import System
import Topics

/// What the thread of files does.
extension TopicFiles {
    /// The thread's loop, until `close`.
    func run() {
        while let work = next(within: copies.pause(at: Boot.milliseconds)) {
            switch work {
            case .remove(let marks): for mark in marks { remove(mark) }
            case .copy(let marks): lack(marks)
            case .job(.write(let bytes, let attachment, let device, let then)):
                then(write(bytes, attachment, to: device))
            case .job(.read(let reader)): answer(reader)
            case .job(.giveUp(let mark)): giveUp(mark)
            case .job(.compareFolder): compareFolder()
            case .job(.asked(let question)): asked(question)
            case .job(.heard(let mark, let question, let answer)):
                heard(answer, to: question, about: mark)
            case .nothing: break
            }
            goOnCopying(at: Boot.milliseconds)
        }
        endCopying()
        reader = nil
    }

    private func write(
        _ bytes: [UInt8], _ attachment: TopicAttachment, to device: UInt32
    ) -> FileWriting {
        do {
            guard let place, let reader = try openedReader() else { return .unavailable }
            let owner: TopicOwner
            switch try reader.owner(ofTopic: device) {
            case .none: return .notFound
            case .unreadable: return .unavailable
            case .owner(let found): owner = found
            }
            let id = try reader.newID()
            let file = KeptFile(
                try reader.mark(of: id), of: device, owner: owner.row, size: bytes.count)
            guard let disk = place.space(place.folder) else { return .unavailable }
            guard place.limits.hasRoom(for: bytes.count, on: disk) else { return .fullDisk }
            guard reserve(file, within: place.limits) else { return .tooLarge }
            // From here on, the room and what was written go with this value.
            let received = ReceivedFile(id, file, attachment, in: self)
            let draft = try DraftFile(for: place.path(of: file.mark))
            try FileChunks(file: file, owner: owner).write(bytes, to: draft)
            try draft.publish()
            return .written(received)
        } catch let error as SystemError {
            return error.isFullDisk ? .fullDisk : .unavailable
        } catch {
            reader = nil
            return .unavailable
        }
    }

    /// Answers now, or when another store has given the file.
    func answer(_ reader: FileReader) {
        do throws(any Error) {
            guard let place, let rows = try openedReader() else {
                return reader.then(.unavailable)
            }
            switch try rows.find(try rows.mark(of: reader.id), at: place.time.now) {
            case .none: reader.then(.none)
            case .unreadable: reader.then(.damaged)
            case .file(let found):
                let reading = try read(found, reader.range, in: place)
                if case .elsewhere = reading, wait(reader, for: found.file.mark) { return }
                reader.then(reading)
            }
        } catch {
            self.reader = nil
            reader.then(.unavailable)
        }
    }

    private func read(
        _ found: FileRows.Found, _ range: Range<Int>, in place: FilePlace
    ) throws -> FileReading {
        let part = range.clamped(to: 0..<found.file.size).prefix(Self.partLimit)
        let disk: LargeFile
        do throws(SystemError) {
            disk = try LargeFile(place.path(of: found.file.mark), followsLink: false)
        } catch {
            if error.isMissingFile { return .elsewhere }
            return error.isShortOfDescriptors ? .unavailable : .damaged
        }
        let chunks = FileChunks(file: found.file, owner: found.owner)
        guard let bytes = try chunks.read(part, from: disk) else { return .damaged }
        return .part(
            FilePart(
                device: found.file.device, name: found.record.name, type: found.record.type,
                size: found.file.size, start: part.lowerBound, bytes: bytes))
    }

    private func remove(_ mark: FileMark) {
        if let place { FileRemoval.remove(place.path(of: mark)) }
        settle(mark, .none)
    }

    /// Removes the file unless a message has it after all: of a commit that seemed to fail, the answer
    /// may have been lost alone.
    private func giveUp(_ mark: FileMark) {
        do throws(StoreFault) {
            guard let reader = try openedReader(), try !reader.has(mark) else { return }
            remove(mark)
        } catch {
            // The next start removes it.
            reader = nil
        }
    }

    /// Removes what a crash has left: drafts, and files whose messages were not stored or have ended.
    /// What is not there is missing.
    private func compareFolder() {
        guard let place, let names = try? FolderNames.all(in: place.folder) else { return }
        do throws(StoreFault) {
            guard let reader = try openedReader() else { return }
            let marks = try reader.marks()
            let kept = Set(marks.map(\.name))
            for name in names where !kept.contains(name) {
                FileRemoval.remove(place.folder + "/" + name)
            }
            lack(marks)
        } catch {
            reader = nil
        }
    }

    func openedReader() throws(StoreFault) -> FileRows? {
        guard let place else { return nil }
        if let reader, reader.generation == place.keys.generation { return reader }
        let opened = try FileRows(place.database, place.keys)
        reader = opened
        return opened
    }
}

/// Where files are, and what their thread needs.
struct FilePlace: Sendable {
    let folder: String
    /// The file of the store.
    let database: String
    let keys: StoreKeys
    let time: StoreTimekeeper
    let limits: FileLimits
    let space: @Sendable (String) -> DiskSpace?
    /// Stores that may have files which this one lacks; nil for a store of its own.
    let peers: (any StorePeers)?

    func path(of mark: FileMark) -> String { folder + "/" + mark.name }
}

package enum FileWriting: Sendable {
    /// It is on the disk. Store the message with it.
    case written(ReceivedFile)
    /// The configuration wants no files.
    case off
    /// For one file, for the topic, for its owner, or for the server.
    case tooLarge
    case fullDisk
    /// The topic has ended.
    case notFound
    /// Try again later.
    case unavailable
}

package enum FileReading: Sendable {
    case part(FilePart)
    /// There is no such file, or it has ended.
    case none
    /// The message is here, and the file is not. No other store could be reached that has it.
    case elsewhere
    /// The file is not as it was written.
    case damaged
    /// Try again later.
    case unavailable
}

package struct FilePart: Sendable, Confidential {
    /// The registration of the topic.
    package let device: UInt32
    package let name: String
    /// The media type.
    package let type: String
    /// The size of the whole file.
    package let size: Int
    /// Where these bytes begin.
    package let start: Int
    package let bytes: [UInt8]
}
