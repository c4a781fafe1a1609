import Base
import Dialects
import Notifications

/// What was done to an engine at once, as the journal has it.
enum EngineEntries {
    static func bytes(_ entries: [(time: Double, entry: EngineEntry)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (time, entry) in entries {
            let text = entry.bytes
            bytes.append(bigEndian: time.bitPattern)
            bytes.append(bigEndian: UInt32(text.count))
            bytes += text
        }
        return bytes
    }

    /// Does again what they say; false where they are none of ours.
    static func replay(
        _ bytes: [UInt8], on engine: inout Engine, _ templates: TelegramTemplates
    ) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= headLength else { return false }
            let time = Double(bitPattern: number(rest.prefix(8)))
            let count = Int(number(rest.dropFirst(8).prefix(4)))
            guard rest.count - headLength >= count,
                let entry = try? EngineEntry(Array(rest.dropFirst(headLength).prefix(count)))
            else { return false }
            if !engine.isRunning { engine.start(now: time) }
            _ = engine.perform(entry, templates: templates, now: time)
            _ = engine.takeUpdates()
            rest = rest.dropFirst(headLength + count)
        }
        return true
    }

    private static let headLength = 12

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
