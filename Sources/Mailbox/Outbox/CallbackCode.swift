import Base
import Delivery

/// How a callback is encoded before it is sealed as one record.
///
///     version 1 | user given 1 | user 4 | secrets 1 | for each: expiry 8, length 1, secret | URL
enum CallbackCode {
    private static let version: UInt8 = 1
    private static let headerLength = 1 + 1 + 4 + 1

    static func bytes(_ callback: Callback) -> [UInt8] {
        var bytes: [UInt8] = [version, callback.userID == nil ? 0 : 1]
        bytes.append(bigEndian: callback.userID ?? 0)
        bytes.append(UInt8(clamping: callback.secrets.count))
        for entry in callback.secrets {
            bytes.append(bigEndian: UInt64(bitPattern: entry.expiry?.milliseconds ?? .max))
            bytes.append(UInt8(clamping: entry.secret.count))
            entry.secret.withSpan { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: callback.url.utf8)
        return bytes
    }

    /// Nil for an unknown format, perhaps written by a newer version.
    static func callback(row: UInt32, _ record: Span<UInt8>) -> Callback? {
        guard record.count >= headerLength, record[0] == version else { return nil }
        let user = record[1] == 0 ? nil : record.halfWord(at: 2)
        var secrets: [Callback.SigningSecret] = []
        var start = headerLength
        for _ in 0..<record[6] {
            guard record.count >= start + 9 else { return nil }
            let expiry = Int64(bitPattern: record.word(at: start))
            let end = start + 9 + Int(record[start + 8])
            guard record.count >= end else { return nil }
            secrets.append(
                Callback.SigningSecret(
                    Secret(record.extracting(start + 9..<end)),
                    expiry: expiry == .max ? nil : StoreTime(milliseconds: expiry)))
            start = end
        }
        let url = String(decoding: record.array(start..<record.count), as: UTF8.self)
        return Callback(row: row, url: url, userID: user, secrets: secrets)
    }
}
