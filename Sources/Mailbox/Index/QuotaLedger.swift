import Delivery

/// Why no more can be stored for a destination, narrowest cause first.
package enum QuotaRefusal: Equatable, Sendable {
    case subscriptionFull
    case deviceFull
    case ownerFull
    case allFull
}

/// Counts the messages that wait for each subscription, device and owner. It is a value, without
/// I/O and without a clock.
struct QuotaLedger: ~Copyable {
    /// What waits for one subscription, device or owner. It is small, because there is one per
    /// device.
    struct Usage: FlatEntry {
        static let vacant = Usage(row: 0)
        /// Bytes are counted in units of this size.
        private static let unit = 64

        let row: UInt32
        /// The owner of a device; unused in other tables.
        var owner: UInt32 = 0
        var messages: UInt32 = 0
        private var units: UInt32 = 0

        init(row: UInt32, owner: UInt32 = 0) {
            self.row = row
            self.owner = owner
        }

        var key: UInt64 { UInt64(row) }
        var bytes: Int { Int(units) * Self.unit }

        func admits(_ size: Int, within room: QuotaLimits.Room) -> Bool {
            Int(messages) < room.messages && bytes + size <= room.bytes
        }

        mutating func add(_ size: Int) {
            messages += 1
            units += Self.units(size)
        }

        mutating func subtract(_ size: Int) {
            messages -= min(messages, 1)
            units -= min(units, Self.units(size))
        }

        /// Subtracts everything of a device that is removed.
        mutating func subtract(_ other: Usage) {
            messages -= min(messages, other.messages)
            units -= min(units, other.units)
        }

        private static func units(_ size: Int) -> UInt32 { UInt32((size + unit - 1) / unit) }
    }

    private let limits: QuotaLimits
    private var all = Usage(row: 0)
    /// Only subscriptions for which something waits.
    private var subscriptions = FlatTable<Usage>()
    private var devices: FlatTable<Usage>
    private var owners = FlatTable<Usage>()
    private var endpoints = FlatTable<MarkShare>()
    private(set) var strangerCount = 0

    init(limits: QuotaLimits, expectingDevices count: Int = 0) {
        self.limits = limits
        devices = FlatTable(expecting: count)
    }

    /// Everything that waits.
    var total: (messages: Int, bytes: Int) { (Int(all.messages), all.bytes) }

    var deviceCount: Int { devices.count }

    mutating func addDevice(_ device: UInt32, owner: UInt32) {
        devices.set(Usage(row: device, owner: owner))
        if Self.isStranger(owner) { strangerCount += 1 }
    }

    /// Owner zero stands for all strangers together.
    func endpointCount(ofOwner owner: UInt32) -> Int { endpoints.count(of: owner) }

    mutating func addEndpoint(ofDevice device: UInt32) {
        let owner = owner(ofDevice: device)
        endpoints.add(to: owner)
        if StrangerNumber.isNetwork(owner) { endpoints.add(to: 0) }
    }

    /// Call this before the device is removed.
    mutating func removeEndpoint(ofDevice device: UInt32) {
        let owner = owner(ofDevice: device)
        endpoints.subtract(from: owner)
        if StrangerNumber.isNetwork(owner) { endpoints.subtract(from: 0) }
    }

    static func isStranger(_ owner: UInt32) -> Bool {
        owner == 0 || StrangerNumber.isNetwork(owner)
    }

    /// Zero for a device without an owner, or an unknown device.
    func owner(ofDevice device: UInt32) -> UInt32 { knownOwner(ofDevice: device) ?? 0 }

    /// Nil for an unknown device.
    func knownOwner(ofDevice device: UInt32) -> UInt32? { devices[UInt64(device)]?.owner }

    /// Reservations of the device that are released later will not find it, so this subtracts them.
    mutating func removeDevice(_ device: UInt32) {
        guard let removed = devices.remove(UInt64(device)) else { return }
        if Self.isStranger(removed.owner) { strangerCount -= 1 }
        guard removed.messages > 0 else { return }
        all.subtract(removed)
        forOwners(removed.owner) { $0.subtract(removed) }
    }

    func usage(ofDevice device: UInt32) -> (messages: Int, bytes: Int) {
        let usage = devices[UInt64(device)] ?? .vacant
        return (Int(usage.messages), Int(usage.bytes))
    }

    func usage(ofOwner owner: UInt32) -> (messages: Int, bytes: Int) {
        let usage = owners[UInt64(Self.row(ofOwner: owner))] ?? .vacant
        return (Int(usage.messages), Int(usage.bytes))
    }

    /// Counts a message of `size` bytes, unless there is no room for it.
    mutating func reserve(_ size: Int, for address: Address) -> QuotaRefusal? {
        let refusal = refusal(of: size, for: address)
        if refusal == nil { count(size, for: address) }
        return refusal
    }

    /// Why there is no room for a message of `size` bytes; nil if there is.
    func refusal(of size: Int, for address: Address) -> QuotaRefusal? {
        let subscription = subscriptions[UInt64(address.subscription)] ?? .vacant
        guard subscription.admits(size, within: limits.subscription) else {
            return .subscriptionFull
        }
        let device = devices[UInt64(address.device)] ?? .vacant
        guard device.admits(size, within: limits.device) else { return .deviceFull }
        let owner = owners[UInt64(Self.row(ofOwner: device.owner))] ?? .vacant
        let isNetwork = StrangerNumber.isNetwork(device.owner)
        guard owner.admits(size, within: isNetwork ? limits.network : limits.owner) else {
            return .ownerFull
        }
        if isNetwork {
            let all = owners[UInt64(Self.row(ofOwner: StrangerNumber.all))] ?? .vacant
            guard all.admits(size, within: limits.owner) else { return .ownerFull }
        }
        return all.admits(size, within: limits.all) ? nil : .allFull
    }

    /// Counts a stored message, whatever the limits are.
    mutating func count(_ size: Int, for address: Address) {
        Self.add(size, address.subscription, &subscriptions)
        let owner = devices.update(UInt64(address.device)) { device in
            device.add(size)
            return device.owner
        }
        guard let owner else { return }
        Self.add(size, Self.row(ofOwner: owner), &owners)
        if StrangerNumber.isNetwork(owner) {
            Self.add(size, Self.row(ofOwner: StrangerNumber.all), &owners)
        }
        all.add(size)
    }

    /// The message has ended.
    mutating func release(_ size: Int, for address: Address) {
        Self.change(address.subscription, &subscriptions) { $0.subtract(size) }
        let owner = devices.update(UInt64(address.device)) { device in
            device.subtract(size)
            return device.owner
        }
        guard let owner else { return }
        all.subtract(size)
        forOwners(owner) { $0.subtract(size) }
    }

    /// Devices without an owner have owner zero, which cannot be a key. The highest number belongs
    /// to nobody, but a file may contain it.
    private static func row(ofOwner owner: UInt32) -> UInt32 { max(1, owner &+ 1) }

    private static func add(_ size: Int, _ row: UInt32, _ table: inout FlatTable<Usage>) {
        if table.update(UInt64(row), { $0.add(size) }) == nil {
            var usage = Usage(row: row)
            usage.add(size)
            table.set(usage)
        }
    }

    /// Changes the owner, and for a network of strangers also the total of all strangers.
    private mutating func forOwners(_ owner: UInt32, _ body: (inout Usage) -> Void) {
        Self.change(Self.row(ofOwner: owner), &owners, body)
        if StrangerNumber.isNetwork(owner) {
            Self.change(Self.row(ofOwner: StrangerNumber.all), &owners, body)
        }
    }

    private static func change(
        _ row: UInt32, _ table: inout FlatTable<Usage>, _ body: (inout Usage) -> Void
    ) {
        let rest = table.update(UInt64(row)) { usage in
            body(&usage)
            return usage.messages
        }
        if rest == 0 { table.remove(UInt64(row)) }
    }
}
