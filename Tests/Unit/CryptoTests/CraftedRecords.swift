import COpenSSL
import Foundation
@testable import Crypto

/// Records that a client sends after its handshake and that no library would send.
struct CraftedRecords {
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let data: UInt8 = 23

    private let isTLS13: Bool
    private var secret: [UInt8] = []
    private var key: [UInt8]
    private var vector: [UInt8]
    private var sequence: UInt64

    /// Continues TLS 1.3 after the client's Finished. `secret`: its
    /// client_application_traffic_secret_0.
    init(trafficSecret secret: [UInt8]) {
        isTLS13 = true
        self.secret = secret
        (key, vector) = Self.keys(secret)
        sequence = 0
    }

    /// Continues TLS 1.2 with AES-128-GCM after the client's Finished.
    init(version12 client: OpaquePointer?) {
        isTLS13 = false
        var master = [UInt8](repeating: 0, count: 48)
        SSL_SESSION_get_master_key(SSL_get_session(client), &master, 48)
        var (mine, theirs) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        SSL_get_client_random(client, &mine, 32)
        SSL_get_server_random(client, &theirs, 32)
        // RFC 5246 sections 5 and 6.3.
        let seed = Array("key expansion".utf8) + theirs + mine
        var (block, link): ([UInt8], [UInt8]) = ([], seed)
        while block.count < 40 {
            link = Self.mac(master, link)
            block += Self.mac(master, link + seed)
        }
        (key, vector, sequence) = (Array(block[..<16]), Array(block[32..<36]), 1)
    }

    mutating func record(
        _ type: UInt8, _ content: [UInt8], padding: Int = 0
    ) -> [UInt8] {
        if padding > 0 {
            // The type that is sealed behind it is a zero, too.
            let zeros = [UInt8](repeating: 0, count: padding - 1)
            return record(0, content + [type] + zeros)
        }
        defer { sequence += 1 }
        let number = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * $0)) }
        guard isTLS13 else {
            let size = [UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            let sealed = seal(content, vector + number, number + [type, 3, 3] + size)
            let length = sealed.count + 8
            return [type, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + number + sealed
        }
        let length = content.count + 1 + 16
        let header = [Self.data, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)]
        let nonce = zip(vector, [0, 0, 0, 0] + number).map { $0 ^ $1 }
        return header + seal(content + [type], nonce, header)
    }

    /// KeyUpdate (RFC 8446 section 4.6.3).
    mutating func keyUpdate(asks: Bool = false, lengths: [Int] = [5]) -> [UInt8] {
        var message: [UInt8] = [24, 0, 0, 1, asks ? 1 : 0]
        var bytes: [UInt8] = []
        for length in lengths {
            bytes += record(Self.handshake, Array(message.prefix(length)))
            message.removeFirst(length)
        }
        secret = Self.expand(secret, "traffic upd", 32)
        (key, vector) = Self.keys(secret)
        sequence = 0
        return bytes
    }

    private func seal(_ text: [UInt8], _ nonce: [UInt8], _ associated: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: text.count + 16)
        var count: Int32 = 0
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
        EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count))
        EVP_EncryptUpdate(context, &sealed, &count, text, Int32(text.count))
        var tag = [UInt8](repeating: 0, count: 16)
        EVP_EncryptFinal_ex(context, &tag, &count)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return sealed[..<text.count] + tag
    }

    private static func keys(_ secret: [UInt8]) -> (key: [UInt8], vector: [UInt8]) {
        (expand(secret, "key", 16), expand(secret, "iv", 12))
    }

    /// HKDF-Expand-Label (RFC 8446 section 7.1), up to one block.
    private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
        let name = Array("tls13 \(label)".utf8)
        let information = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
        return Array(mac(secret, information)[..<count])
    }

    private static func mac(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        var count = 0
        EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, text, text.count, &output, 32, &count)
        return output
    }
}

/// Captures the secret with which a client sends after its handshake.
final class TrafficSecret {
    private(set) var bytes: [UInt8] = []

    func listen(to client: OpaquePointer?) {
        SSL_set_ex_data(client, 0, Unmanaged.passUnretained(self).toOpaque())
        SSL_CTX_set_keylog_callback(SSL_get_SSL_CTX(client)) { client, line in
            guard let line, let place = SSL_get_ex_data(client, 0) else { return }
            let words = String(cString: line).split(separator: " ")
            guard words.first == "CLIENT_TRAFFIC_SECRET_0", let text = words.last else { return }
            var digits = Array(text.utf8)[...]
            var bytes: [UInt8] = []
            while let high = digits.popFirst(), let low = digits.popFirst() {
                let pair = String(decoding: [high, low], as: UTF8.self)
                bytes.append(UInt8(pair, radix: 16) ?? 0)
            }
            Unmanaged<TrafficSecret>.fromOpaque(place).takeUnretainedValue().bytes = bytes
        }
    }
}
