import COpenSSL

/// Reads the blocks of a PEM text (RFC 7468) one after the other.
struct PEMReader: ~Copyable {
    private let text: MemoryText

    init(_ bytes: [UInt8]) throws(TLSError) {
        let text = try MemoryText()
        guard BIO_write(text.handle, bytes, Int32(bytes.count)) == bytes.count else {
            throw TLSError("BIO_write")
        }
        self.text = text
    }

    /// The next certificate; other blocks are skipped. Nil at the end.
    mutating func certificate() throws(TLSError) -> Certificate? {
        if let handle = PEM_read_bio_X509(text.handle, nil, noPassphrase, nil) {
            return Certificate(owning: handle)
        }
        let last = ERR_peek_last_error()
        guard ERR_GET_LIB(last) == ERR_LIB_PEM, ERR_GET_REASON(last) == PEM_R_NO_START_LINE
        else { throw TLSError("PEM_read_bio_X509") }
        ERR_clear_error()
        return nil
    }

    /// The next private key; nil if none can be read. An encrypted one is an error.
    mutating func keyPair() throws(TLSError) -> KeyPair? {
        if let handle = PEM_read_bio_PrivateKey(text.handle, nil, noPassphrase, nil) {
            return KeyPair(owning: handle)
        }
        // OpenSSL reports this after it has tried every kind of key.
        guard ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_OSSL_DECODER else {
            throw TLSError("PEM_read_bio_PrivateKey")
        }
        ERR_clear_error()
        return nil
    }
}

/// Without this callback OpenSSL would ask for a passphrase on the terminal.
private func noPassphrase(
    _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _: UnsafeMutableRawPointer?
) -> Int32 { -1 }
