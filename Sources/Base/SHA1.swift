/// SHA-1 (FIPS 180-4 section 6.1), only where a protocol requires it and no security depends on it:
/// the answer to a WebSocket key, and the id of a Telegram secret.
package enum SHA1 {
    package static func digest(of bytes: Span<UInt8>) -> [UInt8] {
        var state: [5 of UInt32] = [
            0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0,
        ]
        var words = [80 of UInt32](repeating: 0)
        // A mark and the length, of eight bytes, follow the message.
        let end = (bytes.count + 9 + 63) / 64 * 64
        for start in stride(from: 0, to: end, by: 64) {
            for index in 0..<16 { words[index] = word(start + 4 * index, of: bytes, end) }
            mix(&words, into: &state)
        }
        var span = words.mutableSpan
        span.withUnsafeMutableBytes { overwrite($0.bindMemory(to: UInt8.self)) }
        var digest: [UInt8] = []
        for index in state.indices { digest.append(bigEndian: state[index]) }
        return digest
    }

    /// Four bytes of the padded message (section 5.1.1).
    private static func word(_ start: Int, of bytes: Span<UInt8>, _ end: Int) -> UInt32 {
        // The last two words are the length in bits, and no message is there.
        if start == end - 4 { return UInt32(truncatingIfNeeded: bytes.count * 8) }
        if start == end - 8 { return UInt32(truncatingIfNeeded: (bytes.count * 8) >> 32) }
        var word: UInt32 = 0
        for index in start..<start + 4 {
            let byte = index < bytes.count ? bytes[index] : index == bytes.count ? 0x80 : 0
            word = word << 8 | UInt32(byte)
        }
        return word
    }

    private static func mix(_ words: inout [80 of UInt32], into state: inout [5 of UInt32]) {
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words[index] = rotated(word, 1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        func step(_ mixed: UInt32, _ constant: UInt32, _ word: UInt32) {
            let next = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
            (a, b, c, d, e) = (next, a, rotated(b, 30), c, d)
        }
        for index in 0..<20 { step(b & c | ~b & d, 0x5A82_7999, words[index]) }
        for index in 20..<40 { step(b ^ c ^ d, 0x6ED9_EBA1, words[index]) }
        for index in 40..<60 { step(b & c | b & d | c & d, 0x8F1B_BCDC, words[index]) }
        for index in 60..<80 { step(b ^ c ^ d, 0xCA62_C1D6, words[index]) }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &<< count | word &>> (32 - count)
    }
}
