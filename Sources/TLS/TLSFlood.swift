import COpenSSL
import System

/// What a peer can send inside of TLS without end, and what brings nothing.
package enum TLSFlood: Int32, Sendable, CaseIterable {
    case keyUpdates = 1
    /// Handshakes anew, which TLS 1.2 knows and which are refused.
    case renegotiations
    case alerts
    case emptyRecords
    /// Records of a handshake that does not come to its end.
    case handshakeRecords

    /// The word that logs and counters use.
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
    /// So many are taken in a window, whatever they are. Clients change their keys after gigabytes.
    static let idleRecordLimit: UInt32 = 128
    static let window: Int64 = 60_000
    /// So many may make up a handshake: enough for greetings that come byte by byte.
    static let handshakeRecordLimit: UInt32 = 4_096

    var flooding: TLSFlood? { flood == 0 ? nil : TLSFlood(rawValue: flood) }

    /// A record came that brought nothing. Times are in milliseconds.
    mutating func note(_ kind: TLSFlood, at now: Int64) {
        if idle_records == 0 || now - window_start >= Self.window {
            (window_start, idle_records) = (now, 0)
        }
        idle_records += 1
        if idle_records > Self.idleRecordLimit, flood == 0 { flood = kind.rawValue }
    }

    /// A record came before the end of the handshake.
    mutating func noteOfHandshake() {
        handshake_records += 1
        if handshake_records > Self.handshakeRecordLimit {
            flood = TLSFlood.handshakeRecords.rawValue
        }
    }
}

/// Called by OpenSSL for the header of each record, for the type inside of it in TLS 1.3, and for
/// more that is of no interest here. A record with data is passed over soon.
func noteRecord(
    _ isSent: Int32, _: Int32, _ part: Int32, _ bytes: UnsafeRawPointer?, _ count: Int,
    _ stream: OpaquePointer?, _: UnsafeMutableRawPointer?
) {
    guard isSent == 0, let stream, let bytes, count > 0 else { return }
    guard SSL_is_init_finished(stream) == 1 else {
        guard part == SSL3_RT_HEADER, let link = copenssl_link_of(SSL_get_rbio(stream))
        else { return }
        return link.pointee.noteOfHandshake()
    }
    guard let kind = TLSFlood(part, bytes.assumingMemoryBound(to: UInt8.self), count, stream),
        let link = copenssl_link_of(SSL_get_rbio(stream))
    else { return }
    link.pointee.note(kind, at: Boot.milliseconds)
}

extension TLSFlood {
    /// The nonce and the tag of AES-GCM in TLS 1.2: no record that is longer is empty.
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

    /// What the record around nothing takes.
    private static func emptyRecord(of stream: OpaquePointer) -> Int {
        // The type and the tag.
        if SSL_version(stream) == TLS1_3_VERSION { return 17 }
        let cipher = SSL_CIPHER_get_cipher_nid(SSL_get_current_cipher(stream))
        return cipher == NID_chacha20_poly1305 ? 16 : longestEmptyRecord
    }
}
