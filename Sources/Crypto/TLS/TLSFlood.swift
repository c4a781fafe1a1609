import COpenSSL
import System

/// Records that carry no data and that a peer could send without end.
package enum TLSFlood: Int32, Sendable, CaseIterable {
    case keyUpdates = 1
    /// New handshakes inside TLS 1.2, which are refused.
    case renegotiations
    case alerts
    case emptyRecords
    /// Records of a handshake that never finishes.
    case handshakeRecords

    /// The name in logs and metrics.
    package var word: String {
        switch self {
        case .keyUpdates: "key-updates"
        case .renegotiations: "renegotiations"
        case .alerts: "alerts"
        case .emptyRecords: "empty-records"
        case .handshakeRecords: "handshake-records"
        }
    }
}

extension copenssl_link {
    /// Records without data accepted per window. Real clients update keys only after gigabytes.
    static let idleRecordLimit: UInt32 = 128
    static let window: Int64 = 60_000
    /// Records accepted for one handshake: enough for a handshake that arrives byte by byte.
    static let handshakeRecordLimit: UInt32 = 4_096

    var flooding: TLSFlood? { flood == 0 ? nil : TLSFlood(rawValue: flood) }

    /// Counts a record without data. Times are in milliseconds.
    mutating func count(_ kind: TLSFlood, at now: Int64) {
        if idle_records == 0 || now - window_start >= Self.window {
            (window_start, idle_records) = (now, 0)
        }
        idle_records += 1
        if idle_records > Self.idleRecordLimit, flood == 0 { flood = kind.rawValue }
    }

    /// Counts a record before the end of the handshake.
    mutating func countHandshakeRecord() {
        handshake_records += 1
        if handshake_records > Self.handshakeRecordLimit {
            flood = TLSFlood.handshakeRecords.rawValue
        }
    }
}

/// OpenSSL calls this for the header of each record, in TLS 1.3 also for the inner type, and for
/// more that is ignored here. It returns early for a record with data.
func inspectRecord(
    _ isSent: Int32, _: Int32, _ part: Int32, _ bytes: UnsafeRawPointer?, _ count: Int,
    _ stream: OpaquePointer?, _: UnsafeMutableRawPointer?
) {
    guard let stream, let bytes, count > 0 else { return }
    countRecord(isSent == 1, part, bytes.assumingMemoryBound(to: UInt8.self), count, stream)
    guard isSent == 0 else { return }
    guard SSL_is_init_finished(stream) == 1 else {
        guard part == SSL3_RT_HEADER, let link = copenssl_link_of(SSL_get_rbio(stream))
        else { return }
        return link.pointee.countHandshakeRecord()
    }
    guard let kind = TLSFlood(part, bytes.assumingMemoryBound(to: UInt8.self), count, stream),
        let link = copenssl_link_of(SSL_get_rbio(stream))
    else { return }
    link.pointee.count(kind, at: Boot.milliseconds)
}

/// Counts a record under keys for what follows the handshake. Its type is 23 whatever is in it.
private func countRecord(
    _ isSent: Bool, _ part: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int,
    _ stream: OpaquePointer
) {
    guard part == SSL3_RT_HEADER, count == RecordHeader.length, bytes[0] == ContentType.data,
        let link = copenssl_link_of(SSL_get_rbio(stream))
    else { return }
    link.pointee.takenSecrets?.pointee.countRecord(isSent: isSent)
}

extension TLSFlood {
    /// The length of nonce and tag of AES-GCM in TLS 1.2. A longer record is not empty.
    private static let longestEmptyRecord = 24

    fileprivate init?(
        _ part: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ stream: OpaquePointer
    ) {
        switch (part, Int32(bytes[0])) {
        case (SSL3_RT_HEADER, SSL3_RT_APPLICATION_DATA) where count == SSL3_RT_HEADER_LENGTH:
            let length = Int(bytes[3]) << 8 | Int(bytes[4])
            guard length <= Self.longestEmptyRecord, length <= Self.emptyRecord(of: stream)
            else { return nil }
            self = .emptyRecords
        case (SSL3_RT_HEADER, SSL3_RT_ALERT), (SSL3_RT_INNER_CONTENT_TYPE, SSL3_RT_ALERT):
            self = .alerts
        case (SSL3_RT_HEADER, SSL3_RT_HANDSHAKE): self = .renegotiations
        case (SSL3_RT_INNER_CONTENT_TYPE, SSL3_RT_HANDSHAKE): self = .keyUpdates
        default: return nil
        }
    }

    /// The length of a record without data.
    private static func emptyRecord(of stream: OpaquePointer) -> Int {
        // One byte for the type, 16 for the tag.
        if SSL_version(stream) == TLS1_3_VERSION { return 17 }
        let cipher = SSL_CIPHER_get_cipher_nid(SSL_get_current_cipher(stream))
        return cipher == NID_chacha20_poly1305 ? 16 : longestEmptyRecord
    }
}
