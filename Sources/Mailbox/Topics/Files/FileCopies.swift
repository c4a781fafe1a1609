import Base
import Crypto
import System

/// A file on its way from other stores, chunk by chunk. Each chunk is opened before it is kept, so it
/// does not matter who gave it.
final class FileDownload {
    /// So many stores are asked for one file.
    private static let peerLimit = 16

    let mark: FileMark
    /// The number of the last question, whose answer is awaited.
    var question = 0
    /// Who has the file; nil until somebody says so.
    private(set) var peer: String?
    /// Those whose chunk was wrong, or did not come.
    private(set) var avoided: Set<String> = []
    /// The next chunk.
    private(set) var number = 0

    private let chunks: FileChunks
    private let path: String
    private var draft: DraftFile?
    private var sealer: Sealer

    init(_ file: KeptFile, of owner: TopicOwner, to path: String) throws(OpenSSLError) {
        (mark, self.path) = (file.mark, path)
        chunks = FileChunks(file: file, owner: owner)
        sealer = try Sealer(current: owner.key)
    }

    /// What to ask next: who has the file, or for a chunk.
    var next: FileQuestion { FileQuestion(mark, chunk: peer == nil ? nil : number) }

    func found(_ peer: String) { self.peer = peer }

    /// Another store has to go on. False if too many have failed.
    func avoidPeer() -> Bool {
        if let peer { avoided.insert(peer) }
        peer = nil
        return avoided.count < Self.peerLimit
    }

    /// False if the bytes are not those of the next chunk.
    func take(_ sealed: [UInt8]) throws -> Bool {
        guard try chunks.open(sealed, number, &sealer) != nil else { return false }
        let draft = try draft ?? DraftFile(for: path)
        self.draft = draft
        try draft.append(sealed.span)
        number += 1
        return true
    }

    var isWhole: Bool { number == chunks.count }

    func publish() throws(SystemError) { try draft?.publish() }
}

/// What a store asks others about a file, by its mark: who has it, or for one of its sealed chunks.
struct FileQuestion: Equatable {
    /// Beyond the last chunk of any file.
    private static let chunkLimit: Int64 = 1 << 20

    private var bytes: [UInt8] = []
    private var number: Int64?

    private init() {}

    init(_ mark: FileMark, chunk: Int?) {
        bytes = mark.bytes
        number = chunk.map { Int64($0) }
    }

    /// Nil if there are not 16 bytes.
    var mark: FileMark? { FileMark(bytes.span) }
    var chunk: Int? { number.map { Int($0) } }
}

extension FileQuestion: Coded {
    static var blank: FileQuestion { FileQuestion() }

    mutating func code(_ coder: inout Coder) {
        coder.data(&bytes)
        coder.optional(&number)
        coder.require((0..<Self.chunkLimit).contains(number ?? 0))
    }
}

/// What the thread of files has under way with other stores.
struct FileCopies {
    /// Chunks come and go at this rate: 16 MiB a second, so that the log is not held up.
    private static let limit = PaceLimit(atOnce: 16, perSecond: 256)
    /// So many others wait for a chunk from here.
    private static let answerLimit = 256

    enum Turn {
        case ask(FileDownload)
        case answer(chunk: Int, of: FileMark, PeerQuestion)
    }

    var missing = MissingFiles()
    var downloads: [FileMark: FileDownload] = [:]
    var waiting: [FileMark: [FileReader]] = [:]
    private(set) var waitingCount = 0
    private var questions = 0
    private var turns: [Turn] = []
    private var pace = Pace()
    /// Nothing is begun before, in milliseconds since boot.
    private var restsUntil: Int64 = 0

    mutating func newQuestion() -> Int {
        questions += 1
        return questions
    }

    /// `download` asks for its next chunk when it is its turn.
    mutating func add(_ download: FileDownload) { turns.append(.ask(download)) }

    /// Nobody answers if too many wait.
    mutating func add(_ question: PeerQuestion, for chunk: Int, of mark: FileMark) {
        guard turns.count < Self.answerLimit else { return }
        turns.append(.answer(chunk: chunk, of: mark, question))
    }

    mutating func rest(until time: Int64) { restsUntil = max(restsUntil, time) }

    func mayBegin(at now: Int64) -> Bool { now >= restsUntil }

    mutating func takeTurn(at now: Int64) -> Turn? {
        guard !turns.isEmpty, mayBegin(at: now) else { return nil }
        if let wait = pace.spend(1, Self.limit, at: now * 1_000_000) {
            restsUntil = now + wait / 1_000_000 + 1
        }
        return turns.removeFirst()
    }

    mutating func add(_ reader: FileReader, of mark: FileMark) {
        waiting[mark, default: []].append(reader)
        waitingCount += 1
    }

    mutating func takeReaders(of mark: FileMark) -> [FileReader] {
        let readers = waiting.removeValue(forKey: mark) ?? []
        waitingCount -= readers.count
        return readers
    }

    /// The readers that do not wait any longer.
    mutating func takeLate(at now: Int64) -> [FileReader] {
        var late: [FileReader] = []
        for (mark, readers) in waiting where readers.contains(where: { $0.until <= now }) {
            late += readers.filter { $0.until <= now }
            let rest = readers.filter { $0.until > now }
            waiting[mark] = rest.isEmpty ? nil : rest
        }
        waitingCount -= late.count
        return late
    }

    /// How long there is nothing to do unless something comes.
    func pause(at now: Int64) -> Int64? {
        let times = [
            mayBegin(at: now) ? nil : restsUntil, missing.due.map { max($0, restsUntil) },
            waiting.values.joined().map(\.until).min(),
        ]
        return times.compactMap(\.self).min().map { max($0 - now, 0) }
    }
}

/// Somebody who reads a file, and may wait for it.
struct FileReader {
    let id: FileID
    let range: Range<Int>
    let then: @Sendable (FileReading) -> Void
    /// In milliseconds since boot; zero before the first attempt to read.
    var until: Int64 = 0
}
