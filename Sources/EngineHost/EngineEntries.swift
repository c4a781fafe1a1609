import Base
package import Dialects
package import Notifications

/// Several entries that the journal stores together.
package enum EngineEntries {
    package static func bytes(_ entries: [(time: Double, entry: EngineEntry)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (time, entry) in entries {
            let text = entry.bytes
            bytes.append(bigEndian: time.bitPattern)
            bytes.append(bigEndian: UInt32(text.count))
            bytes += text
        }
        return bytes
    }

    /// Applies the entries; false if they cannot be read.
    package static func replay(
        _ bytes: [UInt8], on engine: inout Engine, _ templates: TelegramTemplates
    ) -> Bool {
        var start = 0
        while start < bytes.count {
            guard bytes.count - start >= headLength else { return false }
            let time = Double(bitPattern: bytes.span.word(at: start))
            let count = Int(bytes.span.halfWord(at: start + 8))
            start += headLength
            guard bytes.count - start >= count,
                let entry = try? EngineEntry(Array(bytes[start..<start + count]))
            else { return false }
            engine.replay(entry, at: time, templates)
            start += count
        }
        return true
    }

    private static let headLength = 8 + 4
}
