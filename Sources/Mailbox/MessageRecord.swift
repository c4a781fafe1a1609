import Base
import Delivery
import WebPush

import enum Notifications.TrustLevel

/// How a message is encoded before it is sealed as one record.
///
///     version 1 | encoding and level 1 | urgency 1 | TTL 4 | arrival 8 | lengths of topic, encryption and
///     crypto key 4 each | these three | body
enum MessageRecord {
    private static let version: UInt8 = 1
    private static let headerLength = Message.Content.overhead

    static func bytes(_ content: Message.Content, arrival: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.size)
        bytes.append(version)
        bytes.append(
            number(of: content.encoding) | (content.level.map { $0.rawValue + 1 } ?? 0) << 4)
        bytes.append(content.urgency.rank)
        bytes.append(bigEndian: content.ttl)
        bytes.append(bigEndian: UInt64(bitPattern: arrival))
        let topic = content.topic?.text ?? ""
        bytes.append(bigEndian: UInt32(topic.utf8.count))
        bytes.append(bigEndian: UInt32(content.encryption.count))
        bytes.append(bigEndian: UInt32(content.cryptoKey.count))
        bytes.append(contentsOf: topic.utf8)
        bytes.append(contentsOf: content.encryption)
        bytes.append(contentsOf: content.cryptoKey)
        bytes.append(contentsOf: content.body)
        return bytes
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    static func content(
        of record: Span<UInt8>
    ) -> (content: Message.Content, arrival: Int64)? {
        guard record.count >= headerLength, record[0] == version,
            let encoding = encodings.first(where: { number(of: $0) == record[1] & 15 }),
            record[1] >> 4 <= levelLimit, let urgency = Urgency(rank: record[2])
        else { return nil }
        var start = headerLength
        func field(_ number: Int) -> [UInt8]? {
            let length = record.halfWord(at: 15 + 4 * number)
            guard Int(length) <= record.count - start else { return nil }
            defer { start += Int(length) }
            return record.array(start..<start + Int(length))
        }
        guard let topic = field(0), let encryption = field(1), let cryptoKey = field(2)
        else { return nil }
        let content = Message.Content(
            body: record.array(start..<record.count), encoding: encoding,
            level: record[1] >> 4 == 0 ? nil : TrustLevel(rawValue: (record[1] >> 4) - 1),
            encryption: encryption, cryptoKey: cryptoKey,
            topic: Topic(String(decoding: topic, as: UTF8.self)),
            urgency: urgency, ttl: record.halfWord(at: 3))
        return (content, Int64(bitPattern: record.word(at: 7)))
    }

    private static let levelLimit = TrustLevel.mtproto.rawValue + 1
    private static let encodings = [nil] + ContentEncoding.allCases

    private static func number(of encoding: ContentEncoding?) -> UInt8 {
        switch encoding {
        case nil: 0
        case .aes128gcm: 1
        case .aesgcm: 2
        }
    }
}
