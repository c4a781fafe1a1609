/// What an alert says (RFC 9846 section 6). Others than these are kept as they came.
package struct TLSAlert: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    static let closeNotify = TLSAlert(rawValue: 0)
    static let unexpectedMessage = TLSAlert(rawValue: 10)
    static let badRecordMAC = TLSAlert(rawValue: 20)
    static let recordOverflow = TLSAlert(rawValue: 22)
    static let illegalParameter = TLSAlert(rawValue: 47)
    static let decodeError = TLSAlert(rawValue: 50)
    static let internalError = TLSAlert(rawValue: 80)
    static let userCanceled = TLSAlert(rawValue: 90)

    package var description: String {
        switch self {
        case .closeNotify: "close_notify"
        case .unexpectedMessage: "unexpected_message"
        case .badRecordMAC: "bad_record_mac"
        case .recordOverflow: "record_overflow"
        case .illegalParameter: "illegal_parameter"
        case .decodeError: "decode_error"
        case .internalError: "internal_error"
        case .userCanceled: "user_canceled"
        default: "alert \(rawValue)"
        }
    }

    /// The content of its record. Only the two that are not errors are warnings.
    var content: InlineArray<2, UInt8> {
        [self == .closeNotify || self == .userCanceled ? 1 : 2, rawValue]
    }
}

/// What a record contains (RFC 9846 section 5.1).
package enum ContentType {
    package static let alert: UInt8 = 21
    package static let handshake: UInt8 = 22
    package static let data: UInt8 = 23
}

/// The five bytes before each record (RFC 9846 section 5.2).
enum RecordHeader {
    static let length = 5
    static let tagLength = 16
    /// What sealing adds to the content: the header, the type and the tag.
    static let overhead = length + 1 + tagLength
    static let longestContent = 1 << 14
    static let longestSealed = longestContent + 256

    enum Frame: Equatable {
        /// Not all of it is there.
        case incomplete
        /// A record, of so many bytes with its header.
        case record(Int)
        case refused(TLSAlert)
    }

    /// Judges each byte as soon as it is there, so that nobody waits for the rest of what is no
    /// record. The version means nothing; it counts as a part of what the tag protects.
    static func frame(_ bytes: Span<UInt8>) -> Frame {
        guard !bytes.isEmpty else { return .incomplete }
        // Also the unencrypted alerts and the change_cipher_spec that a handshake may have.
        guard bytes[0] == ContentType.data else { return .refused(.unexpectedMessage) }
        guard bytes.count >= length else { return .incomplete }
        let sealed = Int(bytes[3]) << 8 | Int(bytes[4])
        guard sealed <= longestSealed else { return .refused(.recordOverflow) }
        // There is no room for a type and a tag, so the tag is not right.
        guard sealed > tagLength else { return .refused(.badRecordMAC) }
        return bytes.count < length + sealed ? .incomplete : .record(length + sealed)
    }
}

/// Why records of our own ended before the peer closed.
enum RecordEnding {
    /// The peer broke a rule, and got this alert.
    case refused(TLSAlert)
    /// The peer sent this alert.
    case sentAlert(TLSAlert)
    /// The number of keys or records is exhausted.
    case hasNoKey
    case wasClosed

    var reason: String {
        switch self {
        case .refused(let alert): "the peer's records were refused with \(alert)"
        case .sentAlert(let alert): "the peer sent \(alert)"
        case .hasNoKey: "there are no more keys"
        case .wasClosed: "the connection was closed"
        }
    }
}
