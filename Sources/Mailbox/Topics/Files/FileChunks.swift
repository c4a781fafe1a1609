import Base
import Crypto
import System

/// A file as it lies on the disk: in chunks, each sealed under the key of its owner.
///
/// The seal of a chunk is bound to the owner, the file and its size, and to the place of the chunk;
/// that of the last one also says that it is the last. So a chunk of another file or of another place
/// does not open, and a file that was cut has no end.
struct FileChunks {
    static let length = 64 << 10
    private static let sealedLength = length + Sealer.overhead

    let file: KeptFile
    let owner: TopicOwner

    var count: Int { max(1, (file.size + Self.length - 1) / Self.length) }
    private var sealedSize: Int { file.size + count * Sealer.overhead }

    private func place(_ number: Int) -> Sealer.Place {
        Sealer.Place(
            table: "topic_file", row: Int64(number), column: number == count - 1 ? "last" : "chunk",
            owner: .name("\(file.owner) \(file.mark.name) \(file.size)"))
    }

    /// Where a chunk is in the file.
    private func span(_ number: Int) -> Range<Int> {
        let start = number * Self.length
        return start..<min(start + Self.length, file.size)
    }

    func write(_ bytes: [UInt8], to draft: DraftFile) throws {
        var sealer = try Sealer(current: owner.key)
        for number in 0..<count {
            let plain = bytes.span.extracting(span(number))
            let sealed = try sealer.seal(plain, at: place(number))
            try draft.append(sealed.span)
        }
    }

    /// Opens the chunks that have these bytes. Nil if the file is not as it was written.
    func read(_ range: Range<Int>, from disk: borrowing LargeFile) throws -> [UInt8]? {
        guard disk.size == sealedSize else { return nil }
        var bytes: [UInt8] = []
        guard !range.isEmpty else { return bytes }
        var sealer = try Sealer(current: owner.key)
        bytes.reserveCapacity(range.count)
        for number in range.lowerBound / Self.length...(range.upperBound - 1) / Self.length {
            let sealed = try Self.sealed(number, from: disk)
            guard let opened = try open(sealed, number, &sealer) else { return nil }
            let span = span(number)
            let wanted = range.clamped(to: span)
            bytes += opened.withSpan {
                $0.array(wanted.lowerBound - span.lowerBound..<wanted.upperBound - span.lowerBound)
            }
        }
        return bytes
    }

    /// A chunk as it lies on the disk; empty behind the end.
    static func sealed(
        _ number: Int, from disk: borrowing LargeFile
    ) throws(SystemError) -> [UInt8] {
        try disk.read(at: number * sealedLength, count: sealedLength)
    }

    /// Nil unless it is this chunk as it was written.
    func open(
        _ sealed: [UInt8], _ number: Int, _ sealer: inout Sealer
    ) throws(OpenSSLError) -> Secret? {
        guard sealed.count == span(number).count + Sealer.overhead else { return nil }
        do throws(Sealer.Failure) {
            return try sealer.open(sealed.span, at: place(number))
        } catch {
            if case .fault(let error) = error { throw error }
            return nil
        }
    }
}
