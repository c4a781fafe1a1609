import Base
import Crypto
import System
import Topics

/// What the thread of files does.
extension TopicFiles {
    /// The thread's loop, until `close`.
    func run() {
        while let work = next() {
            switch work {
            case .remove(let marks): for mark in marks { remove(mark) }
            case .job(.write(let bytes, let attachment, let device, let then)):
                then(write(bytes, attachment, to: device))
            case .job(.read(let id, let range, let then)): then(read(id, range))
            case .job(.giveUp(let mark)): giveUp(mark)
            case .job(.removeOrphans): removeOrphans()
            }
        }
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

    private func read(_ id: FileID, _ range: Range<Int>) -> FileReading {
        do throws(any Error) {
            guard let place, let reader = try openedReader() else { return .unavailable }
            let found: FileRows.Found
            switch try reader.find(try reader.mark(of: id), at: place.time.now) {
            case .none: return .none
            case .unreadable: return .damaged
            case .file(let file): found = file
            }
            let whole = range.clamped(to: 0..<found.file.size)
            let part = whole.prefix(Self.partLimit)
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
        } catch {
            reader = nil
            return .unavailable
        }
    }

    private func remove(_ mark: FileMark) {
        if let place { FileRemoval.remove(place.path(of: mark)) }
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
    private func removeOrphans() {
        guard let place, let names = try? FolderNames.all(in: place.folder), !names.isEmpty else {
            return
        }
        do throws(StoreFault) {
            guard let reader = try openedReader() else { return }
            let kept = try reader.names()
            for name in names where !kept.contains(name) {
                FileRemoval.remove(place.folder + "/" + name)
            }
        } catch {
            reader = nil
        }
    }

    private func openedReader() throws(StoreFault) -> FileRows? {
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
    /// The message is here, and the file is not: another node has it, or it is lost.
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
