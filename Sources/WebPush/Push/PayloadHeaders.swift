import Base

/// How the body of a push is encrypted, as user agents are told.
package struct PayloadHeaders: Equatable, Sendable, Confidential {
    package let encoding: ContentEncoding
    package let encryption: [UInt8]?
    package let cryptoKey: [UInt8]?

    /// Takes fields that were checked before.
    package init(
        encoding: ContentEncoding, encryption: [UInt8]? = nil, cryptoKey: [UInt8]? = nil
    ) {
        self.encoding = encoding
        self.encryption = encryption
        self.cryptoKey = cryptoKey
    }

    /// Checks the fields of a push, and removes quotes and padding, which Firefox does not accept.
    init(
        normalizing encryption: consuming [UInt8]?, _ cryptoKey: consuming [UInt8]?,
        encoding: ContentEncoding
    ) throws(EncryptionFault) {
        let salt = try Self.normalize(&encryption, "salt", .badEncryption)
        let dh = try Self.normalize(&cryptoKey, "dh", .badCryptoKey)
        switch encoding {
        case .aes128gcm:
            guard salt == .absent else { throw .needlessSalt }
            guard dh == .absent else { throw .needlessDH }
        case .aesgcm:
            guard encryption != nil else { throw .missingEncryption }
            guard salt != .absent else { throw .missingSalt }
            guard salt == .valid else { throw .badSalt }
            guard cryptoKey == nil || dh != .absent else { throw .missingDH }
            guard cryptoKey == nil || dh == .valid else { throw .badDH }
        }
        self.init(encoding: encoding, encryption: encryption, cryptoKey: cryptoKey)
    }

    private enum Parameter { case absent, malformed, valid }

    private static func normalize(
        _ field: inout [UInt8]?, _ name: StaticString, _ fault: EncryptionFault
    ) throws(EncryptionFault) -> Parameter {
        guard var value = field.take() else { return .absent }
        guard removeQuotesAndPadding(&value) else { throw fault }
        let parameter = parameter(name, in: value.span)
        field = value
        guard let parameter else { throw fault }
        return parameter
    }

    /// Returns false for characters that do not belong in such a field.
    private static func removeQuotesAndPadding(_ field: inout [UInt8]) -> Bool {
        var end = 0
        var isPrintable = true
        for index in field.indices where field[index] != UInt8(ascii: "\"") {
            let byte = field[index] == 0x09 ? 0x20 : field[index]
            if endsItem(byte) { unpad(field, &end) }
            field[end] = byte
            isPrintable = isPrintable && (0x20...0x7E).contains(byte)
            end += 1
        }
        unpad(field, &end)
        field.removeLast(field.count - end)
        return isPrintable
    }

    /// Removes padding from the end, and the spaces after the padding; spaces without padding stay.
    private static func unpad(_ field: borrowing [UInt8], _ end: inout Int) {
        var last = end
        while last > 0, field[last - 1].isBlank { last -= 1 }
        while last > 0, field[last - 1] == UInt8(ascii: "=") {
            last -= 1
            end = last
        }
    }

    /// Finds a parameter among `key=value` items separated by commas and semicolons; nil if an item
    /// is malformed.
    private static func parameter(_ name: StaticString, in field: Span<UInt8>) -> Parameter? {
        var result = Parameter.absent
        var start = 0
        while start <= field.count {
            var end = start
            while end < field.count, !endsItem(field[end]) { end += 1 }
            var first = start
            while first < end, field[first].isBlank { first += 1 }
            if first < end {
                guard let equals = field.firstIndex(of: UInt8(ascii: "="), from: first),
                    equals < end
                else { return nil }
                if field.extracting(first..<equals).equalsIgnoringCase(name) {
                    var last = end
                    while field[last - 1].isBlank { last -= 1 }
                    let isValid = isBase64URL(field.extracting(equals + 1..<last))
                    result = isValid && result != .malformed ? .valid : .malformed
                }
            }
            start = end + 1
        }
        return result
    }

    private static func endsItem(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
    }

    private static func isBase64URL(_ text: Span<UInt8>) -> Bool {
        !text.isEmpty && text.count % 4 != 1 && text.isBase64URLAlphabet
    }
}

/// What is wrong with the fields that describe how a push is encrypted.
///
/// The raw value is the text for the sender.
package enum EncryptionFault: String, Error, Sendable, CaseIterable {
    case missingEncoding = "Missing Content-Encoding header"
    case unknownEncoding = "Unknown Content-Encoding header"
    case missingEncryption = "Missing Encryption header"
    case badEncryption = "Invalid Encryption header"
    case missingSalt = "Missing salt value in Encryption header"
    case badSalt = "Invalid salt value in Encryption header"
    case needlessSalt = "Do not include 'salt' header in aes128gcm Encryption header"
    case badCryptoKey = "Invalid Crypto-Key header"
    case missingDH = "Missing dh value in Crypto-Key header"
    case badDH = "Invalid dh value in Crypto-Key header"
    case needlessDH = "Do not include 'dh' header in aes128gcm Crypto-Key header"
    case sharedKey = "The same key signs and encrypts"
    // The older drafts of VAPID have their key in Crypto-Key.
    case missingCryptoKey = "Missing Crypto-Key header"
    case missingServerKey = "Missing p256ecdsa in Crypto-Key header"
}
