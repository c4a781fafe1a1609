/// The rules for what a client may send after its handshake (RFC 9846 sections 4.6, 5 and 6), applied
/// to records whose tag was right.
///
/// A value: it knows neither keys nor the connection.
struct ReceivedRecords: Equatable {
    enum Event: Equatable {
        /// Where the data lies in the text of the record.
        case data(Range<Int>)
        /// The record carries nothing that its receiver needs. A peer could send this kind without
        /// end; nil for a part of a message, which is bounded by its length.
        case nothing(TLSFlood?)
        /// All records after this one are under the next keys.
        case keyUpdate(asksForOurs: Bool)
        case closeNotify
        /// The peer has given up. Nothing may be sent any more.
        case alert(TLSAlert)
        case refused(TLSAlert)
        /// Too many records without data came, of which this is the last one's kind.
        case flood(TLSFlood)
    }

    /// How many records without data may come one after the other.
    static let idleLimit = 32

    /// The longest content of a record; the peer may have negotiated less than usual (RFC 6066
    /// section 4).
    private let longestContent: Int
    private var idleCount = 0
    /// What has come of a message that continues in the next record. No more than four bytes of one
    /// can wait.
    private var message: UInt32 = 0
    private var messageLength = 0

    init(longestContent: Int = RecordHeader.longestContent) {
        self.longestContent = longestContent
    }

    /// `text` is content, type and padding.
    mutating func opened(_ text: Span<UInt8>) -> Event {
        guard text.count <= RecordHeader.longestContent + 1 else {
            return .refused(.recordOverflow)
        }
        var end = text.count
        while end > 0, text[end - 1] == 0 { end -= 1 }
        // Only zeros: there is no type.
        guard end > 0 else { return .refused(.unexpectedMessage) }
        let (type, count) = (text[end - 1], end - 1)
        guard count <= longestContent else { return .refused(.recordOverflow) }
        // Nothing may come between the parts of a message (RFC 9846 section 5.1).
        guard messageLength == 0 || type == ContentType.handshake else {
            return .refused(.unexpectedMessage)
        }
        switch type {
        case ContentType.data: return data(count)
        case ContentType.handshake: return handshake(text.extracting(0..<count))
        case ContentType.alert: return alert(text.extracting(0..<count))
        default: return .refused(.unexpectedMessage)
        }
    }

    private mutating func data(_ count: Int) -> Event {
        guard count > 0 else { return idle(.emptyRecords) }
        idleCount = 0
        return .data(0..<count)
    }

    private mutating func alert(_ content: Span<UInt8>) -> Event {
        // It is never cut, and no other alert is in its record.
        guard !content.isEmpty else { return .refused(.unexpectedMessage) }
        guard content.count == 2 else { return .refused(.decodeError) }
        switch TLSAlert(rawValue: content[1]) {
        case .closeNotify: return .closeNotify
        // The handshake was given up, which means nothing here.
        case .userCanceled: return idle(.alerts)
        case let alert: return .alert(alert)
        }
    }

    /// Records without data must not keep a loop busy.
    private mutating func idle(_ kind: TLSFlood, _ event: Event? = nil) -> Event {
        idleCount += 1
        return idleCount > Self.idleLimit ? .flood(kind) : event ?? .nothing(kind)
    }
}

/// Handshake messages, of which only KeyUpdate may come (RFC 9846 section 4.7.3).
extension ReceivedRecords {
    private static let keyUpdate: UInt8 = 24
    private static let keyUpdateLength = 5

    private mutating func handshake(_ content: Span<UInt8>) -> Event {
        guard !content.isEmpty else { return .refused(.unexpectedMessage) }
        // The keys change behind a KeyUpdate, so it ends its record.
        let mayHave = Self.keyUpdateLength - messageLength
        for index in content.indices.prefix(mayHave) {
            if let alert = refusal(of: content[index], at: messageLength, content.count - index) {
                return .refused(alert)
            }
            message = message << 8 | UInt32(content[index])
            messageLength += 1
        }
        guard messageLength == Self.keyUpdateLength else { return .nothing(nil) }
        let asksForOurs = message & 0xFF == 1
        (message, messageLength) = (0, 0)
        return idle(.keyUpdates, .keyUpdate(asksForOurs: asksForOurs))
    }

    /// Judges each byte of a message as it comes: the body of another message may be 16 MB long.
    /// `rest` is what its record has from this byte on.
    private func refusal(of byte: UInt8, at place: Int, _ rest: Int) -> TLSAlert? {
        switch place {
        case 0: byte == Self.keyUpdate ? nil : .unexpectedMessage
        case 1, 2: byte == 0 ? nil : .decodeError
        case 3: byte == 1 ? nil : .decodeError
        default: rest > 1 ? .unexpectedMessage : byte <= 1 ? nil : .illegalParameter
        }
    }
}
