import Base
import Delivery
import Testing
import WebPush

@testable import Cluster

@Suite("Where messages are")
struct MessagePlaceTests {
    private let address = Address(subscription: 0xAB, device: 0x1F)

    @Test("A subject is read as it was written")
    func subjects() {
        for slot in [
            MessagePlace.Slot.message(MessageID(Bits128(high: 1, low: .max))),
            .topic(Bits128(high: .max, low: 0)),
        ] {
            let place = MessagePlace(address, slot)
            #expect(MessagePlace(subject: place.subject) == place)
            #expect(place.subject.hasPrefix("mb.\(place.shard).1f.ab."))
        }
    }

    @Test(
        "Other subjects are refused",
        arguments: [
            "", "mb", "mb.1.2.3", "mb.1.1f.ab.x0", "wake.1.1f.ab.m00000000000000000000000000000000",
            "mb.0.1F.ab.m00000000000000000000000000000000",
            "mb.99.1f.ab.m00000000000000000000000000000000",
        ])
    func foreign(_ subject: String) { #expect(MessagePlace(subject: subject) == nil) }

    @Test("Devices are spread over all shards, evenly")
    func shards() {
        var counts = Array(repeating: 0, count: MessagePlace.shards)
        for device in UInt32(1)...64_000 { counts[MessagePlace.shard(of: device)] += 1 }
        #expect(counts.allSatisfy { 900...1_100 ~= $0 })
    }
}
