import Base
import Delivery
import WebPush

/// Where a waiting message is: its stream, and its subject there.
///
///     mb.<shard>.<device>.<subscription>.<slot>
///
/// A slot keeps one message. Messages of one topic have the same slot, so the newest replaces the
/// others; any other message has its own.
struct MessagePlace: Equatable {
    enum Slot: Equatable {
        case message(MessageID)
        /// A hash, because the sender chooses the topic and it may be revealing.
        case topic(Bits128)
    }

    /// Chosen once: another number would need other streams.
    static let shards = 64

    let address: Address
    let slot: Slot

    init(_ address: Address, _ slot: Slot) {
        self.address = address
        self.slot = slot
    }

    var shard: Int { Self.shard(of: address.device) }

    static func shard(of device: UInt32) -> Int { Int((device &* 2_654_435_769) >> 26) }

    static func stream(_ shard: Int) -> String { "MB_\(shard)" }

    var subject: String {
        let name =
            switch slot {
            case .message(let id): "m" + id.bits.hexadecimal
            case .topic(let hash): "t" + hash.hexadecimal
            }
        return Self.start(address) + "." + name
    }

    /// Nil unless it is one of ours.
    init?(subject: String) {
        let parts = subject.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "mb", let device = UInt32(parts[2], radix: 16),
            let subscription = UInt32(parts[3], radix: 16), let kind = parts[4].first,
            let bits = Bits128(uuid: Array(parts[4].dropFirst().utf8).span)
        else { return nil }
        switch kind {
        case "m": slot = .message(MessageID(bits))
        case "t": slot = .topic(bits)
        default: return nil
        }
        address = Address(subscription: subscription, device: device)
        guard self.subject == subject else { return nil }
    }

    /// All messages of a device.
    static func all(ofDevice device: UInt32) -> String { start(device) + ".>" }

    static func all(of address: Address) -> String { start(address) + ".*" }

    /// Where the servers tell of a device's new messages.
    static func wakeUps(ofDevice device: UInt32) -> String { "wake." + start(device) + ".>" }

    private static func start(_ device: UInt32) -> String {
        "mb.\(shard(of: device)).\(String(device, radix: 16))"
    }

    private static func start(_ address: Address) -> String {
        start(address.device) + "." + String(address.subscription, radix: 16)
    }
}

extension Bits128 {
    fileprivate var hexadecimal: String {
        func digits(_ word: UInt64) -> String {
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        return digits(high) + digits(low)
    }
}
