/// Why no more may be stored for a destination, narrowest cause first.
package enum QuotaRefusal: Equatable, Sendable {
    case subscriptionFull
    case deviceFull
    case ownerFull
}

/// What waits for each subscription, device and owner. A value: it opens nothing and asks no clock.
struct QuotaLedger: ~Copyable {
    /// What waits for one of them.
    struct Usage: FlatEntry {
        static let vacant = Usage(key: 0)

        let key: UInt64
        /// The owner of a device; of no meaning elsewhere.
        var owner: UInt32 = 0
        var messages: UInt32 = 0
        var bytes: Int64 = 0

        func admits(_ size: Int, within room: QuotaLimits.Room) -> Bool {
            Int(messages) < room.messages && Int(bytes) + size <= room.bytes
        }

        mutating func add(_ size: Int) {
            messages += 1
            bytes += Int64(size)
        }

        mutating func subtract(_ size: Int) {
            messages -= messages == 0 ? 0 : 1
            bytes = max(0, bytes - Int64(size))
        }
    }

    private let limits: QuotaLimits
    /// Only those for which something waits.
    private var subscriptions = FlatTable<Usage>()
    private var devices: FlatTable<Usage>
    private var owners = FlatTable<Usage>()

    init(limits: QuotaLimits, expectingDevices count: Int = 0) {
        self.limits = limits
        devices = FlatTable(expecting: count)
    }

    var deviceCount: Int { devices.count }

    mutating func addDevice(_ device: UInt32, owner: UInt32) {
        devices.set(Usage(key: UInt64(device), owner: owner))
    }

    /// After its messages were released.
    mutating func removeDevice(_ device: UInt32) { devices.remove(UInt64(device)) }

    func usage(ofDevice device: UInt32) -> (messages: Int, bytes: Int) {
        let usage = devices[UInt64(device)] ?? .vacant
        return (Int(usage.messages), Int(usage.bytes))
    }

    /// Counts a message of so many bytes, unless there is no room for it.
    mutating func reserve(_ size: Int, for address: Address) -> QuotaRefusal? {
        let subscription = subscriptions[UInt64(address.subscription)] ?? .vacant
        guard subscription.admits(size, within: limits.subscription) else {
            return .subscriptionFull
        }
        let device = devices[UInt64(address.device)] ?? .vacant
        guard device.admits(size, within: limits.device) else { return .deviceFull }
        let owner = owners[Self.key(ofOwner: device.owner)] ?? .vacant
        guard owner.admits(size, within: limits.owner) else { return .ownerFull }
        count(size, for: address)
        return nil
    }

    /// Counts what is stored already, limits or not.
    mutating func count(_ size: Int, for address: Address) {
        Self.add(size, UInt64(address.subscription), &subscriptions)
        let owner = devices.update(UInt64(address.device)) { device in
            device.add(size)
            return device.owner
        }
        if let owner { Self.add(size, Self.key(ofOwner: owner), &owners) }
    }

    /// The message has ended.
    mutating func release(_ size: Int, for address: Address) {
        Self.subtract(size, UInt64(address.subscription), &subscriptions)
        let owner = devices.update(UInt64(address.device)) { device in
            device.subtract(size)
            return device.owner
        }
        if let owner { Self.subtract(size, Self.key(ofOwner: owner), &owners) }
    }

    /// Devices that nobody owns have owner zero, which is no key.
    private static func key(ofOwner owner: UInt32) -> UInt64 { UInt64(owner) + 1 }

    private static func add(_ size: Int, _ key: UInt64, _ table: inout FlatTable<Usage>) {
        if table.update(key, { $0.add(size) }) == nil {
            var usage = Usage(key: key)
            usage.add(size)
            table.set(usage)
        }
    }

    private static func subtract(_ size: Int, _ key: UInt64, _ table: inout FlatTable<Usage>) {
        let rest = table.update(key) { usage in
            usage.subtract(size)
            return usage.messages
        }
        if rest == 0 { table.remove(key) }
    }
}
