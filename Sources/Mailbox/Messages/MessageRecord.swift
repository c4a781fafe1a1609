import Base
import Crypto
import Delivery
import System
import WebPush

import enum Notifications.TrustLevel

/// How a message is encoded before it is sealed as one record.
///
///     version 1 | encoding and level 1 | urgency 1 | TTL 4 | arrival 8 | lengths of topic, encryption and
///     crypto key 4 each | these three | body
enum MessageRecord {
    private static let version: UInt8 = 1
    private static let headerLength = MessageContent.overhead

    static func bytes(_ message: Message) -> [UInt8] {
        let content = message.content
        let encryption = content.headers?.encryption ?? []
        let cryptoKey = content.headers?.cryptoKey ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.size)
        bytes.append(version)
        bytes.append(
            number(of: content.headers?.encoding)
                | (message.level.map { $0.rawValue + 1 } ?? 0) << 4)
        bytes.append(content.urgency.rank)
        bytes.append(bigEndian: content.ttl)
        bytes.append(bigEndian: UInt64(bitPattern: message.arrival))
        let topic = content.topic?.text ?? ""
        bytes.append(bigEndian: UInt32(topic.utf8.count))
        bytes.append(bigEndian: UInt32(encryption.count))
        bytes.append(bigEndian: UInt32(cryptoKey.count))
        bytes.append(contentsOf: topic.utf8)
        bytes.append(contentsOf: encryption)
        bytes.append(contentsOf: cryptoKey)
        bytes.append(contentsOf: content.body)
        return bytes
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    static func content(
        of record: Span<UInt8>
    ) -> (content: MessageContent, level: TrustLevel?, arrival: Int64)? {
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
        let headers = encoding.map {
            PayloadHeaders(
                encoding: $0, encryption: encryption.isEmpty ? nil : encryption,
                cryptoKey: cryptoKey.isEmpty ? nil : cryptoKey)
        }
        let content = MessageContent(
            body: record.array(start..<record.count), headers: headers,
            topic: Topic(String(decoding: topic, as: UTF8.self)),
            urgency: urgency, ttl: record.halfWord(at: 3))
        let level = record[1] >> 4 == 0 ? nil : TrustLevel(rawValue: (record[1] >> 4) - 1)
        return (content, level, Int64(bitPattern: record.word(at: 7)))
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

/// A page under construction.
struct PageDraft {
    /// What `add` reads of the messages of the device `?1`.
    static let columns = """
        position, sequence, subscription, id, location, expires, sealed,
        (SELECT owner FROM device WHERE row = ?1)
        """

    let request: PageRequest
    let through: Int64
    private let setAside: SetAsideInputs
    private var messages: [Message] = []
    private var bytes = 0
    private var damaged = 0
    private var lastSequence: Int64

    /// Messages set aside stay in the store, like messages that cannot be unsealed.
    init(request: PageRequest, through: Int64, besides setAside: SetAsideInputs) {
        self.setAside = setAside
        self.request = request
        self.through = through
        lastSequence = request.sequence
    }

    func isFull(within limits: StoreLimits) -> Bool {
        messages.count + damaged >= limits.pageMessages || bytes >= limits.pageBytes
    }

    mutating func add(_ row: borrowing StoreStatement, unsealing sealer: inout Sealer) {
        lastSequence = row.integer(1)
        let message: Message? = row.withBytes(3) { id in
            setAside.contains(.message, id)
                ? nil : CrashMarker.mark(.message, id) { self.message(row, &sealer) }
        }
        guard let message else {
            damaged += 1
            return
        }
        bytes += message.size
        messages.append(message)
    }

    func page(isLast: Bool) -> StoredPage {
        let next = PageRequest(
            device: request.device, sequence: lastSequence, position: through)
        return StoredPage(
            messages: messages, through: through, next: isLast ? nil : next, damaged: damaged)
    }

    private func message(_ row: borrowing StoreStatement, _ sealer: inout Sealer) -> Message? {
        let place = MessageRows.place(row.integer(0), of: row.integer(7))
        guard let id = row.withBytes(3, { MessageID($0) }),
            let location = row.withBytes(4, { LocationID($0) }),
            // The reader cannot use the reason why it does not open.
            let record = row.withBytes(6, { try? sealer.open($0, at: place) }),
            let (content, level, arrival) = record.withSpan(MessageRecord.content)
        else { return nil }
        return Message(
            id: id, location: location,
            address: Address(
                subscription: UInt32(clamping: row.integer(2)), device: request.device),
            sequence: row.integer(1), content: content, level: level, arrival: arrival,
            expiry: StoreTime(milliseconds: row.integer(5)))
    }
}

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
        let record = MessageRecord.bytes(message)
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
            let (content, level, arrival) = record.withSpan({ MessageRecord.content(of: $0) })
        else { return nil }
        return Message(
            id: id, location: location,
            address: Address(
                subscription: bytes.span.halfWord(at: 4), device: bytes.span.halfWord(at: 0)),
            sequence: Int64(bitPattern: bytes.span.word(at: 40)), content: content,
            level: level, arrival: arrival,
            expiry: StoreTime(milliseconds: Int64(bitPattern: bytes.span.word(at: 48))))
    }

    private static func place(_ id: MessageID) -> Sealer.Place {
        Sealer.Place(table: "passed", row: Int64(bitPattern: id.high), column: "sealed")
    }
}
