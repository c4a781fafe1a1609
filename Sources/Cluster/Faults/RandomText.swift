import Crypto

enum RandomText {
    /// 24 hexadecimal digits that nobody else has.
    static func make() throws(ClusterFault) -> String {
        do throws(OpenSSLError) { return try Random.bytes(count: 12).hexadecimal } catch {
            throw .crypto(error)
        }
    }
}

extension [UInt8] {
    /// Two digits for each byte.
    var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
