import Base
import HTTP
package import Mailbox
package import System
package import Topics

/// Passes files of topics to the store, and from it to those who know their addresses, on one loop.
// Unchecked: its state is used only on the loop's thread, to which the answers are posted.
package final class FileDesk: @unchecked Sendable {
    private let service: ServiceState
    private let loop: EventLoop
    @exclusivity(unchecked) private var writings = SlotTable<(FileWriting) -> Void>()
    @exclusivity(unchecked) private var readings = SlotTable<(FileReading) -> Void>()

    package init(_ service: ServiceState, on loop: EventLoop) {
        (self.service, self.loop) = (service, loop)
    }

    /// Puts a file on the disk, for a message to this topic.
    package func keep(
        _ upload: Publication.Upload, _ attachment: TopicAttachment?,
        at entry: RegistrationCache.Entry,
        then: @escaping (Result<KeptUpload, NtfyRefusal>) -> Void
    ) {
        let attachment = attachment ?? TopicAttachment()
        let base = "\(service.settings.baseURL)/file/"
        let ticket = writings.put { writing in
            then(
                Self.file(writing).map { file in
                    let url = base + file.id.text + upload.suffix
                    return KeptUpload(file: file, sent: attachment, url: url)
                })
        }
        let device = entry.registration.device
        service.index.files.write(upload.bytes, attachment, to: device) { writing in
            self.loop.post { self.writings.remove(ticket)?(writing) }
        }
    }

    private static func file(_ writing: FileWriting) -> Result<ReceivedFile, NtfyRefusal> {
        switch writing {
        case .written(let file): .success(file)
        case .off: .failure(.noAttachments)
        case .tooLarge: .failure(.largeAttachment)
        case .fullDisk: .failure(.fullDisk)
        case .notFound, .unavailable: .failure(.failed)
        }
    }

    /// What is known by its address. The address is all that is needed, and cannot be guessed.
    func serve(_ name: String, _ exchange: HTTPExchange) throws(NtfyRefusal) {
        guard let id = FileID(name.prefix { $0 != "." }) else { throw unknown(exchange) }
        let isWanted = exchange.head.method != .head
        read(id, 0..<(isWanted ? .max : 0)) { [self] reading in
            switch reading {
            case .part(let part) where !isWanted || part.bytes.count == part.size:
                // The length is that of the file, whose bytes do not follow.
                let body = isWanted ? part.bytes : [UInt8](repeating: 0, count: part.size)
                exchange.respond(part.head(exchange), body: body)
            case .part(let part): FileSending(id, part, by: self).begin(exchange)
            case .none: TopicAnswer.refuse(unknown(exchange), exchange)
            case .elsewhere, .damaged, .unavailable:
                TopicAnswer.refuse(NtfyRefusal.failed, exchange)
            }
        }
    }

    /// The bytes of a file; nil if there is none of at most `limit` bytes, or it cannot be read now.
    func load(_ name: String, limit: Int, then: @escaping ([UInt8]?) -> Void) {
        guard let id = FileID(name.prefix { $0 != "." }) else { return then(nil) }
        load(id, [], limit: limit, then)
    }

    private func load(
        _ id: FileID, _ start: [UInt8], limit: Int, _ then: @escaping ([UInt8]?) -> Void
    ) {
        read(id, start.count..<max(limit, start.count)) { [self] reading in
            guard case .part(let part) = reading, part.size <= limit else { return then(nil) }
            let bytes = start + part.bytes
            guard bytes.count < part.size else { return then(bytes) }
            // A part without bytes is no progress.
            guard !part.bytes.isEmpty else { return then(nil) }
            load(id, bytes, limit: limit, then)
        }
    }

    private func unknown(_ exchange: HTTPExchange) -> NtfyRefusal {
        service.isGuessing(exchange.client) ? .tooManyRequests : .notFound
    }

    fileprivate func read(
        _ id: FileID, _ range: Range<Int>, then: @escaping (FileReading) -> Void
    ) {
        let ticket = readings.put(then)
        service.index.files.read(id, range) { reading in
            self.loop.post { self.readings.remove(ticket)?(reading) }
        }
    }
}

/// A file that came as the body of a request, and is on the disk.
package struct KeptUpload: Confidential {
    package let file: ReceivedFile
    fileprivate let sent: TopicAttachment
    fileprivate let url: String

    /// As readers of its message see it. The file does not live longer than the message.
    package func attachment(of message: TopicMessage, _ lifetime: UInt32) -> TopicAttachment {
        var attachment = sent
        attachment.url = url
        attachment.expires = message.time + Int64(TopicFiles.lifetime(keptFor: lifetime))
        return attachment
    }
}

/// Sends a file that is longer than what is read at once.
private final class FileSending: HTTPStreamHandler {
    /// A part of a file is written at once.
    private static let terms = HTTPStreamTerms(
        outputLimit: 4 * TopicFiles.partLimit, isOneAnswer: true)

    private let id: FileID
    private let desk: FileDesk
    private let first: FilePart
    private var sent = 0
    private var stream: HTTPStream?

    init(_ id: FileID, _ first: FilePart, by desk: FileDesk) {
        (self.id, self.first, self.desk) = (id, first, desk)
    }

    func begin(_ exchange: HTTPExchange) {
        stream = exchange.stream(first.head(exchange), Self.terms, to: self)
        write(first.bytes)
    }

    private func write(_ bytes: [UInt8]) {
        guard let stream, stream.write(bytes.span) else { return }
        sent += bytes.count
        if sent == first.size {
            stream.end()
            self.stream = nil
        } else if !stream.isCongested {
            readOn()
        }
    }

    func drained(_ stream: HTTPStream) { readOn() }

    /// Only a whole file is an answer.
    private func readOn() {
        desk.read(id, sent..<first.size) { [self] reading in
            guard case .part(let part) = reading, !part.bytes.isEmpty else {
                stream?.cut()
                return
            }
            write(part.bytes)
        }
    }

    func closed(_ stream: HTTPStream) { self.stream = nil }
}

extension FilePart {
    /// A picture may be shown where it is. All else is saved, and nothing in it runs.
    private static let shown = ["image/png", "image/jpeg", "image/gif", "image/webp"]

    fileprivate func head(_ exchange: HTTPExchange) -> ResponseHead {
        var head = exchange.answer(200)
        head.fields.append("Content-Type", type)
        let disposition = Self.shown.contains(type) ? "inline" : "attachment"
        let plain = String(
            name.map { (" "..."~").contains($0) && !"\"\\%".contains($0) ? $0 : "_" })
        head.fields.append(
            "Content-Disposition",
            "\(disposition); filename=\"\(plain)\"; filename*=UTF-8''\(PercentEncoding.encoded(name))"
        )
        head.fields.append("Content-Security-Policy", "sandbox; default-src 'none'")
        head.fields.append("X-Content-Type-Options", "nosniff")
        head.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        head.fields.append("Referrer-Policy", "no-referrer")
        head.fields.append("Cache-Control", "private, no-store")
        head.fields.append("Access-Control-Allow-Origin", "*")
        return head
    }
}
