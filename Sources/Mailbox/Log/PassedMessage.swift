import Base
import Crypto
import Delivery
import WebPush

/// A message that is never stored, on its way to the node where its device is connected.
///
///     device 4 | subscription 4 | id 16 | location 16 | sequence 8 | expiry 8 | sealed record
enum PassedMessage {
    private static let headerLength = 4 + 4 + 16 + 16 + 8 + 8

    static func bytes(_ message: Message, _ keys: StoreKeys) throws(OpenSSLError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: message.address.device)
        bytes.append(bigEndian: message.address.subscription)
        bytes += message.id.bytes
        bytes += message.location.bytes
        bytes.append(bigEndian: UInt64(bitPattern: message.sequence))
        bytes.append(bigEndian: UInt64(bitPattern: message.expiry.milliseconds))
        var sealer = try keys.sealer()
        let record = MessageRecord.bytes(message.content, arrival: message.arrival)
        return bytes + (try sealer.seal(record.span, at: place(message.id)))
    }

    static func device(_ bytes: [UInt8]) -> UInt32? {
        bytes.count > headerLength ? bytes.span.halfWord(at: 0) : nil
    }

    /// Nil if this store cannot unseal it.
    static func message(_ bytes: [UInt8], _ keys: StoreKeys) -> Message? {
        guard bytes.count > headerLength, let id = MessageID(bytes.span.extracting(8..<24)),
            let location = LocationID(bytes.span.extracting(24..<40)),
            var sealer = try? keys.sealer(),
            let record = try? sealer.open(
                bytes.span.extracting(headerLength..<bytes.count), at: place(id)),
            let (content, arrival) = record.withSpan({ MessageRecord.content(of: $0) })
        else { return nil }
        return Message(
            id: id, location: location,
            address: Address(
                subscription: bytes.span.halfWord(at: 4), device: bytes.span.halfWord(at: 0)),
            sequence: Int64(bitPattern: bytes.span.word(at: 40)), content: content,
            arrival: arrival,
            expiry: StoreTime(milliseconds: Int64(bitPattern: bytes.span.word(at: 48))))
    }

    private static func place(_ id: MessageID) -> Sealer.Place {
        Sealer.Place(table: "passed", row: Int64(bitPattern: id.high), column: "sealed")
    }
}
