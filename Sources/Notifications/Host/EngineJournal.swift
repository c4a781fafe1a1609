import Base

/// The operations on engines since their accounts were stored.
///
/// A batch adds one record for all engines together, because a record for each engine would need a
/// page of the file for each. This value holds what is still to be written, and which records
/// contain entries of an engine. Nothing in it counts as stored before its record is written.
package struct EngineJournal: Sendable {
    private static let headLength = 4 + 4

    /// Bytes of all sealed records.
    package private(set) var size = 0
    /// Records up to here stay, however long the journal is.
    package private(set) var keptThrough = Int64.min
    private var records: [UInt32: [Int64]] = [:]
    private var unwritten: [(engine: UInt32, entries: [UInt8])] = []
    private var former: Former?

    /// What a batch can be taken back to.
    private struct Former {
        let size: Int
        let keptThrough: Int64
        /// The engines that have changed since.
        var records: [UInt32: [Int64]] = [:]
    }

    package init() {}

    /// From now on, changes can be taken back.
    package mutating func begin() { former = Former(size: size, keptThrough: keptThrough) }

    package mutating func takeBack() {
        unwritten = []
        guard let former else { return }
        size = former.size
        keptThrough = former.keptThrough
        for (engine, records) in former.records {
            self.records[engine] = records.isEmpty ? nil : records
        }
        self.former = nil
    }

    private mutating func remember(_ engine: UInt32) {
        guard let former, former.records[engine] == nil else { return }
        self.former?.records[engine] = records[engine] ?? []
    }

    /// The records that contain entries of the engine, in order.
    package func records(of engine: UInt32) -> [Int64] { records[engine] ?? [] }

    package mutating func add(_ entries: [UInt8], of engine: UInt32) {
        unwritten.append((engine, entries))
    }

    /// Forgets an engine whose account was stored as a whole, or removed.
    package mutating func forget(_ engine: UInt32) {
        remember(engine)
        records[engine] = nil
        unwritten.removeAll { $0.engine == engine }
    }

    /// Forgets the records that an account contains which was stored in parts, between batches.
    package mutating func forget(_ engine: UInt32, through record: Int64) {
        remember(engine)
        records[engine]?.removeAll { $0 <= record }
        if records[engine]?.isEmpty == true { records[engine] = nil }
    }

    /// The next record and its engines; nil if there is nothing to write.
    package mutating func takeRecord() -> (record: [UInt8], engines: [UInt32])? {
        guard !unwritten.isEmpty else { return nil }
        var record: [UInt8] = []
        var engines: Set<UInt32> = []
        for (engine, entries) in unwritten {
            record.append(bigEndian: engine)
            record.append(bigEndian: UInt32(entries.count))
            record += entries
            engines.insert(engine)
        }
        unwritten.removeAll(keepingCapacity: true)
        return (record, Array(engines))
    }

    package mutating func wrote(_ record: Int64, of engines: [UInt32], size: Int) {
        self.size += size
        for engine in engines {
            remember(engine)
            records[engine, default: []].append(record)
        }
    }

    /// The record was removed.
    package mutating func lost(_ record: Int64, of engines: [UInt32], size: Int) {
        removed(size: size, from: record)
        for engine in engines {
            records[engine]?.removeAll { $0 == record }
            if records[engine]?.isEmpty == true { records[engine] = nil }
        }
    }

    package mutating func removed(size: Int, from record: Int64) {
        if record > keptThrough { self.size -= size }
    }

    /// Keeps a record without counting its size.
    package mutating func keep(_ record: Int64, size: Int) {
        keptThrough = record
        self.size -= size
    }

    /// The entries of an engine in a record.
    package static func entries(of engine: UInt32, in record: [UInt8]) -> [UInt8] {
        parts(of: record).reduce(into: []) { entries, part in
            if part.engine == engine { entries += part.entries }
        }
    }

    /// The record without the entries of one engine.
    package static func record(_ record: [UInt8], without engine: UInt32) -> [UInt8] {
        var journal = EngineJournal()
        for part in parts(of: record) where part.engine != engine {
            journal.add(Array(part.entries), of: part.engine)
        }
        return journal.takeRecord()?.record ?? []
    }

    private static func parts(
        of record: [UInt8]
    ) -> [(engine: UInt32, entries: ArraySlice<UInt8>)] {
        var parts: [(engine: UInt32, entries: ArraySlice<UInt8>)] = []
        var start = 0
        while record.count - start >= headLength {
            let engine = record.span.halfWord(at: start)
            let count = Int(record.span.halfWord(at: start + 4))
            start += headLength
            guard record.count - start >= count else { break }
            parts.append((engine, record[start..<start + count]))
            start += count
        }
        return parts
    }
}
