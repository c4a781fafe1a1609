/// Messages to store on the disk.
extension Custody {
    /// Returns the messages to store now, in the order of acceptance of each channel.
    package mutating func dequeueUnkept() -> [Key] {
        for (receiver, load) in load where load.count > Self.crowd || load.bytes > Self.crowdBytes {
            keepLongest(of: receiver)
        }
        defer { unkept = [] }
        return unkept.filter { entries[$0]?.isToBeKept == true }
    }

    /// The message is stored; the receiver need not keep it.
    package mutating func kept(_ key: Key, row: Int64, at now: Duration) {
        guard var entry = entries[key], entry.row == nil else {
            return actions.append(.drop(row: row))
        }
        unload(entry)
        keptCount += 1
        entry.row = row
        entry.isToBeKept = false
        entries[key] = entry
        actions.append(.settle(key, isDelivered: true))
        advance(key.channel, at: now)
        if entries[key]?.isHanded == false { entries[key]?.body = nil }
    }

    /// The disk is full or broken: the receiver keeps the message until the application has it.
    package mutating func notKept(_ key: Key, at now: Duration) {
        entries[key]?.isToBeKept = false
        advance(key.channel, at: now)
    }

    /// Drops a body that was handed over and is on the disk.
    package mutating func forgetBody(_ key: Key) {
        if entries[key]?.row != nil { entries[key]?.body = nil }
    }

    /// Stores the messages of the channel with the most unfinished ones: its application sleeps.
    private mutating func keepLongest(of receiver: Int64) {
        let counts = lines.mapValues { line in line.ids.count }
        let candidates = counts.sorted { $0.value > $1.value }.map(\.key)
        for channel in candidates {
            var found = false
            for id in lines[channel]?.ids ?? [] {
                let key = Key(channel, id)
                guard let entry = entries[key], entry.receiver == receiver, entry.row == nil,
                    entry.deadline != nil, keptCount < Self.keptLimit
                else { continue }
                entries[key]?.isToBeKept = true
                unkept.append(key)
                found = true
            }
            if found { return }
        }
    }
}
