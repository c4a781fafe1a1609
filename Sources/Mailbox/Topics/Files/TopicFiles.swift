import Base
import Synchronization
import System
package import Topics

/// The files that came to topics. They lie in a folder beside the store's database, each sealed under
/// the key of its owner; what is known of them is in the database.
// Unchecked: all threads may use the queue, the ledger and the limit; once the thread of files runs,
// it alone uses the rest.
package final class TopicFiles: @unchecked Sendable {
    static let folderName = "files"
    /// A file lives as long as its message, but not longer than this, in seconds.
    private static let longest: UInt32 = 30 * 86_400
    /// How long the file of a message lives that is not kept.
    private static let unkept: UInt32 = 3 * 3_600
    /// The most bytes that one reading gets.
    package static let partLimit = 1 << 20
    /// So many bytes, and pieces of work, wait for the thread.
    private static let (queuedBytes, queuedJobs) = (64 << 20, 1_024)

    enum Job {
        case write([UInt8], TopicAttachment, to: UInt32, @Sendable (FileWriting) -> Void)
        case read(FileReader)
        case giveUp(FileMark)
        case compareFolder
        /// Another store asks.
        case asked(PeerQuestion)
        /// What came of a question about a file.
        case heard(FileMark, question: Int, PeerAnswer?)
    }

    enum Work {
        case job(Job)
        case remove([FileMark])
        /// Messages have these files, which other stores took.
        case copy([FileMark])
        /// It is time to see what is due.
        case nothing
    }

    private struct Queue {
        var jobs: [Job] = []
        /// The bytes that wait to be written.
        var bytes = 0
        /// What ended goes before anything else is done.
        var ended: [FileMark] = []
        var copied: [FileMark] = []
        var isOpen = false
    }

    private let queue = Monitor(Queue())
    private let ledger = Lock(FileLedger())
    private let allowed = Atomic(0)
    /// Nil before `begin`.
    private(set) var place: FilePlace?
    /// Opened on first use, and again after a failure.
    var reader: FileRows?
    /// What is under way with other stores.
    var copies = FileCopies()
    private let missing = Atomic(0)

    init() {}

    /// How long the file of a message lives that is kept for so many seconds.
    package static func lifetime(keptFor seconds: UInt32) -> UInt32 {
        seconds == 0 ? unkept : min(seconds, longest)
    }

    /// How many bytes all files may have together; for zero, none is taken.
    package func allow(_ bytes: Int) { allowed.store(bytes, ordering: .relaxed) }
    package var isOn: Bool { limit > 0 }
    private var limit: Int { allowed.load(ordering: .relaxed) }

    /// What all files have, in bytes.
    package var bytes: Int { ledger.withLock { $0.all } }
    package func bytes(ofTopic device: UInt32) -> Int {
        ledger.withLock { $0.bytes(ofTopic: device) }
    }
    package func bytes(ofOwner owner: UInt32) -> Int {
        ledger.withLock { $0.bytes(ofOwner: owner) }
    }

    /// So many files are not here, although their messages are.
    package var missingCount: Int { missing.load(ordering: .relaxed) }
    func note(missing count: Int) { missing.store(count, ordering: .relaxed) }
}

/// What others ask. Answers come on the thread of files, or at once on that of the caller.
extension TopicFiles {
    /// Puts a file on the disk, for a message to this topic: of `attachment`, its name and type are
    /// kept. The file goes unless the message is stored with it.
    package func write(
        _ bytes: [UInt8], _ attachment: TopicAttachment, to device: UInt32,
        then: @escaping @Sendable (FileWriting) -> Void
    ) {
        guard let place, isOn else { return then(.off) }
        guard bytes.count <= place.limits.file else { return then(.tooLarge) }
        let job = Job.write(bytes, attachment, to: device, then)
        if !add(job, bytes: bytes.count) { then(.unavailable) }
    }

    /// Reads some bytes of a file, at most `partLimit`. They are as they were written. If another
    /// store has it, the answer may take some seconds.
    package func read(
        _ id: FileID, _ range: Range<Int>, then: @escaping @Sendable (FileReading) -> Void
    ) {
        let reader = FileReader(id: id, range: range, then: then)
        if !add(.read(reader), bytes: 0) { then(.unavailable) }
    }

    /// What came of a question. The number of questions is bounded, and each waits for this.
    func hear(_ answer: PeerAnswer?, to question: Int, about mark: FileMark) {
        queue.withLock { queue in
            if queue.isOpen { queue.jobs.append(.heard(mark, question: question, answer)) }
        }
        queue.signal()
    }

    private func add(_ job: Job, bytes: Int) -> Bool {
        let isTaken = queue.withLock { queue in
            guard queue.isOpen, queue.jobs.count < Self.queuedJobs,
                queue.bytes + bytes <= Self.queuedBytes
            else { return false }
            queue.jobs.append(job)
            queue.bytes += bytes
            return true
        }
        if isTaken { queue.signal() }
        return isTaken
    }
}

/// What the store tells.
extension TopicFiles {
    /// Call it before the thread begins.
    func begin(_ place: FilePlace) throws(StoreFault) {
        do throws(StateFolder.Failure) { try PrivateFolder.make(place.folder) } catch {
            throw .folder(error)
        }
        self.place = place
        allow(place.limits.all)
        queue.withLock { queue in
            queue.isOpen = true
            queue.jobs = [.compareFolder]
        }
        place.peers?.listen { [weak self] question in
            // Whoever asks tries again, or another store.
            _ = self?.add(.asked(question), bytes: 0)
        }
    }

    /// Finishes what waits, and ends the thread.
    func close() {
        queue.withLock { $0.isOpen = false }
        queue.signal()
    }

    func count(_ file: KeptFile) { ledger.withLock { $0.count(file) } }

    /// False if there is no room.
    func reserve(_ file: KeptFile, within limits: FileLimits) -> Bool {
        ledger.withLock { $0.reserve(file, within: limits, all: limit) }
    }

    /// A batch was committed.
    func apply(_ changes: [FileChange]) {
        guard !changes.isEmpty else { return }
        var (ended, copied): ([FileMark], [FileMark]) = ([], [])
        for change in changes {
            switch change {
            case .kept(let received): received.keep()
            case .copied(let file):
                count(file)
                copied.append(file.mark)
            case .ended(let file):
                ledger.withLock { $0.release(file) }
                ended.append(file.mark)
            }
        }
        queue.withLock { queue in
            queue.ended += ended
            // What comes before `begin` is found in the folder.
            if queue.isOpen { queue.copied += copied }
        }
        queue.signal()
    }

    /// No message came with the file, as far as is known.
    fileprivate func giveUp(_ file: KeptFile) {
        ledger.withLock { $0.release(file) }
        queue.withLock { if $0.isOpen { $0.jobs.append(.giveUp(file.mark)) } }
        queue.signal()
    }

    /// The next thing to do, after this many milliseconds at most; nil at the end.
    func next(within pause: Int64?) -> Work? {
        let work: Work?? = queue.wait(atMost: pause) { queue in
            if !queue.ended.isEmpty {
                defer { queue.ended = [] }
                return .remove(queue.ended)
            }
            if !queue.copied.isEmpty {
                defer { queue.copied = [] }
                return .copy(queue.copied)
            }
            guard !queue.jobs.isEmpty else { return queue.isOpen ? nil : .some(nil) }
            let job = queue.jobs.removeFirst()
            if case .write(let bytes, _, _, _) = job { queue.bytes -= bytes.count }
            return .job(job)
        }
        return work ?? .nothing
    }
}

/// What a batch did to files.
enum FileChange: Sendable {
    case kept(ReceivedFile)
    /// Another store has the file, and its row is here.
    case copied(KeptFile)
    case ended(KeptFile)
}

/// A file that is on the disk, and whose message is not stored yet. If it never is, the file goes with
/// the last use of this value.
package final class ReceivedFile: Sendable, Confidential {
    package let id: FileID
    package var size: Int { file.size }
    let file: KeptFile
    let name: String
    let type: String
    private let files: TopicFiles
    private let isKept = Atomic(false)

    /// There is room for it.
    init(_ id: FileID, _ file: KeptFile, _ attachment: TopicAttachment, in files: TopicFiles) {
        (self.id, self.file, self.files) = (id, file, files)
        (name, type) = (attachment.name, attachment.type)
    }

    deinit { if !isKept.load(ordering: .relaxed) { files.giveUp(file) } }

    fileprivate func keep() { isKept.store(true, ordering: .relaxed) }
}
