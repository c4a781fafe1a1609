import COpenSSL

extension Certificate {
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try ensure(PEM_write_bio_X509(text.handle, handle), "PEM_write_bio_X509")
        return text.bytes
    }
}

extension KeyPair {
    /// The unencrypted private key.
    func pem() throws(TLSError) -> [UInt8] {
        let text = try MemoryText()
        try ensure(
            PEM_write_bio_PrivateKey(text.handle, handle, nil, nil, 0, nil, nil),
            "PEM_write_bio_PrivateKey")
        return text.bytes
    }
}

extension MemoryText {
    fileprivate var bytes: [UInt8] {
        var start: UnsafeMutablePointer<CChar>?
        let count = copenssl_memory(handle, &start)
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
