package import Base
package import Crypto
import Delivery
package import WebPush

/// 128 random bits that name something.
package protocol RandomName: Hashable, Sendable {
    var bits: Bits128 { get }
    init(_ bits: Bits128)
}

extension MessageID: RandomName {}
extension LocationID: RandomName {}
extension ChannelID: RandomName {}
extension UserAgentID: RandomName {}

extension RandomName {
    package var high: UInt64 { bits.high }
    package var low: UInt64 { bits.low }

    package init(high: UInt64, low: UInt64) { self.init(Bits128(high: high, low: low)) }

    package init(from random: inout RandomSupply) throws(OpenSSLError) {
        self.init(high: try random.word(), low: try random.word())
    }

    /// Nil unless there are 16 bytes.
    init?(_ bytes: Span<UInt8>) {
        guard let bits = Bits128(bytes) else { return nil }
        self.init(bits)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
        return bytes
    }
}
