import Base

/// The rules for the one record of a push: its length before, its padding after decryption.
package enum Record {
    /// RFC 8291 section 4: a push is exactly one record; several are refused, and so is a body
    /// without one.
    package static func check(_ parameters: EncryptionParameters) throws(DecryptionRefusal) {
        let length = UInt64(parameters.ciphertext.count)
        guard length > 0 else { throw .noRecord }
        switch parameters.encoding {
        case .aes128gcm:
            guard length >= 17 else { throw .shortRecord }
            guard length <= parameters.recordSize else { throw .multipleRecords }
        case .aesgcm:
            // The draft's record size counts padding and text, not the tag, and a full record
            // says that another one follows (encryption-encoding-03 section 2).
            guard length >= 18 else { throw .shortRecord }
            let fullLength = parameters.recordSize + UInt64(EncryptionParameters.tagLength)
            guard length != fullLength else { throw .truncated }
            guard length < fullLength else { throw .multipleRecords }
        }
    }

    /// Where the text stands in a decrypted record.
    package static func text(
        of record: Span<UInt8>, encoding: ContentEncoding
    ) throws(DecryptionRefusal) -> Range<Int> {
        switch encoding {
        case .aes128gcm: try textBeforeDelimiter(record)
        case .aesgcm: try textAfterPadding(record)
        }
    }

    /// RFC 8188 section 2: text, delimiter 02 of the last record, zeros.
    private static func textBeforeDelimiter(
        _ record: Span<UInt8>
    ) throws(DecryptionRefusal) -> Range<Int> {
        var end = record.count
        while end > 0, record[end - 1] == 0 { end -= 1 }
        guard end > 0 else { throw .noDelimiter }
        guard record[end - 1] == 0x02 else { throw .badDelimiter }
        return 0..<end - 1
    }

    /// encryption-encoding-03 section 2: length of the padding in two bytes, zeros, text.
    private static func textAfterPadding(
        _ record: Span<UInt8>
    ) throws(DecryptionRefusal) -> Range<Int> {
        let start = 2 + (Int(record[0]) << 8 | Int(record[1]))
        guard start <= record.count else { throw .badPadding }
        for index in 2..<start where record[index] != 0 { throw .badPadding }
        return start..<record.count
    }

    /// The record to encrypt for `text` with `padding` bytes of zeros.
    package static func padded(
        _ text: Span<UInt8>, padding: Int, encoding: ContentEncoding
    ) -> [UInt8] {
        let zeros = repeatElement(UInt8(0), count: padding)
        switch encoding {
        case .aes128gcm:
            return text.array(text.indices) + [0x02] + zeros
        case .aesgcm:
            return [UInt8(padding >> 8), UInt8(padding & 0xFF)] + zeros + text.array(text.indices)
        }
    }
}
