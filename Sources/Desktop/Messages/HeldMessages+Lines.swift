import WebPush

/// The queue of each channel.
extension HeldMessages {
    mutating func add(_ key: Key, _ entry: Entry) {
        entries[key] = entry
        lines[key.channel, default: Line()].ids.append(key.id)
        if entry.row == nil {
            let load = load[entry.receiver] ?? (0, 0)
            self.load[entry.receiver] = (load.count + 1, load.bytes + (entry.body?.count ?? 0))
        } else {
            keptCount += 1
        }
    }

    mutating func unload(_ entry: Entry) {
        guard let load = load[entry.receiver] else { return }
        let rest = (load.count - 1, load.bytes - (entry.body?.count ?? 0))
        self.load[entry.receiver] = rest.0 > 0 ? rest : nil
    }

    mutating func remove(_ key: Key) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        if let row = entry.row {
            keptCount -= 1
            actions.append(.drop(row: row))
        } else {
            unload(entry)
        }
        if let index = lines[key.channel]?.ids.firstIndex(of: key.id) {
            lines[key.channel]?.ids.remove(at: index)
        }
        if entry.isHanded { lines[key.channel]?.handed -= 1 }
        if lines[key.channel]?.ids.isEmpty == true { lines[key.channel] = nil }
        return entry
    }

    mutating func end(_ key: Key, isDelivered: Bool) {
        guard let entry = remove(key) else { return }
        settled.insert(key, isDelivered)
        if entry.row == nil { actions.append(.settle(key, isDelivered: isDelivered)) }
    }

    /// The most unfinished messages of one channel at the distributor.
    private static let handoverLimit = 64

    /// Hands over what may go now. More urgent messages pass those that are held back.
    mutating func advance(_ channel: ChannelID, at now: Duration) {
        guard let line = lines[channel], line.handed < Self.handoverLimit,
            line.handed < line.ids.count
        else { return }
        for id in line.ids {
            guard let handed = lines[channel]?.handed, handed < Self.handoverLimit else { return }
            let key = Key(channel, id)
            guard let entry = entries[key], !entry.isHanded else { continue }
            // Stops here, because the messages behind this one must not overtake it.
            if entry.isToBeKept { return }
            if let deadline = entry.deadline, deadline <= now {
                end(key, isDelivered: false)
                continue
            }
            guard entry.urgency >= floor else { continue }
            entries[key]?.isHanded = true
            lines[channel]?.handed += 1
            actions.append(.handOver(key))
        }
    }
}

/// Messages to store on the disk.
extension HeldMessages {
    /// Returns the messages to store now, in the order of acceptance of each channel.
    mutating func dequeueUnkept() -> [Key] {
        for (receiver, load) in load where load.count > Self.crowd || load.bytes > Self.crowdBytes {
            keepLongest(of: receiver)
        }
        defer { unkept = [] }
        return unkept.filter { entries[$0]?.isToBeKept == true }
    }

    /// The message is stored; the receiver need not keep it.
    mutating func kept(_ key: Key, row: Int64, at now: Duration) {
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
    mutating func notKept(_ key: Key, at now: Duration) {
        entries[key]?.isToBeKept = false
        advance(key.channel, at: now)
    }

    /// Drops a body that was handed over and is on the disk.
    mutating func forgetBody(_ key: Key) {
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
