import WebPush

/// The queue of each channel.
extension Custody {
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
        remember(key, isDelivered)
        if entry.row == nil { actions.append(.settle(key, isDelivered: isDelivered)) }
    }

    private mutating func remember(_ key: Key, _ isDelivered: Bool) {
        if settled.updateValue(isDelivered, forKey: key) != nil { return }
        guard settledOrder.count >= Self.rememberedLimit else { return settledOrder.append(key) }
        settled[settledOrder[settledNext]] = nil
        settledOrder[settledNext] = key
        settledNext = (settledNext + 1) % Self.rememberedLimit
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
