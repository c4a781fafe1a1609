import COpenSSL

/// What the connections of one loop share to seal and open their records: cipher contexts, each of
/// which costs more than a kilobyte, and memory for the records that are at work.
///
/// Only one thread at a time may use it. Exclusivity checks are off: no access lasts while other code
/// runs.
package final class RecordCiphers {
    /// Two records of the largest size, which is also what one read takes from a socket.
    static let roomForRecords = 33 * 1024
    /// How many connections at work keep a context of their own.
    private static let kept = 16

    let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: roomForRecords)
    let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: roomForRecords)
    /// Nil: as the suite demands.
    private let recordsPerKey: UInt64?
    @exclusivity(unchecked) private var sealing: [KeyedCipher?]
    @exclusivity(unchecked) private var opening: [KeyedCipher?]
    @exclusivity(unchecked) private var lastConnection: UInt64 = 0

    /// `recordsPerKey`: how many records are sealed before the keys are updated.
    package init(recordsPerKey: UInt64? = nil) {
        self.recordsPerKey = recordsPerKey
        input.initialize(repeating: 0)
        output.initialize(repeating: 0)
        let count = CipherSuite.allCases.count * Self.kept
        sealing = Array(repeating: nil, count: count)
        opening = sealing
    }

    deinit {
        input.deallocate()
        output.deallocate()
    }

    /// A number that no other connection of this loop has or had.
    package func nextConnection() -> UInt64 {
        lastConnection += 1
        return lastConnection
    }

    func recordsPerKey(_ suite: CipherSuite) -> UInt64 { recordsPerKey ?? suite.recordsPerKey }

    /// Seals a record into `output`, which has room for it, and counts it. Returns its length.
    package func seal(
        _ content: Span<UInt8>, _ type: UInt8, to output: UnsafeMutableBufferPointer<UInt8>,
        _ keys: inout TrafficKeys, of connection: UInt64
    ) throws(OpenSSLError) -> Int {
        let place = place(keys.suite, connection)
        let cipher = try Self.cipher(sealing[place], keys.suite, encrypts: true)
        // Whatever fails, a context that is half set up is used by nobody.
        sealing[place] = nil
        let length = try cipher.seal(content, type, to: output, keys, of: connection)
        sealing[place] = cipher
        keys.advance()
        return length
    }

    /// Opens a whole record in place, and counts it. Nil if its tag is wrong; else the length of
    /// content, type and padding, which lie behind the header.
    func open(
        _ record: UnsafeMutableBufferPointer<UInt8>, _ keys: inout TrafficKeys,
        of connection: UInt64
    ) throws(OpenSSLError) -> Int? {
        let place = place(keys.suite, connection)
        let cipher = try Self.cipher(opening[place], keys.suite, encrypts: false)
        opening[place] = nil
        guard let length = try cipher.open(record, keys, of: connection) else { return nil }
        opening[place] = cipher
        keys.advance()
        return length
    }

    /// Drops the contexts that may have a key which nobody needs any more; OpenSSL overwrites them.
    func forget(_ connection: UInt64) {
        for suite in CipherSuite.allCases {
            let place = place(suite, connection)
            if sealing[place]?.owner?.connection == connection { sealing[place] = nil }
            if opening[place]?.owner?.connection == connection { opening[place] = nil }
        }
    }

    private static func cipher(
        _ kept: KeyedCipher?, _ suite: CipherSuite, encrypts: Bool
    ) throws(OpenSSLError) -> KeyedCipher {
        if let kept { return kept }
        return try KeyedCipher(suite.cipher, encrypts: encrypts)
    }

    private func place(_ suite: CipherSuite, _ connection: UInt64) -> Int {
        let index: Int =
            switch suite {
            case .aes128: 0
            case .aes256: 1
            case .chacha20: 2
            }
        return index * Self.kept + Int(connection % UInt64(Self.kept))
    }
}

/// A cipher context, and whose key it has.
private final class KeyedCipher {
    private let context: CipherContext
    private(set) var owner: (connection: UInt64, epoch: UInt64)?

    init(_ name: String, encrypts: Bool) throws(OpenSSLError) {
        context = try CipherContext(name, encrypts: encrypts)
    }

    /// Nothing else sets a key or a nonce. ChaCha20-Poly1305 would go on under an old nonce without
    /// a word, so nothing is sealed unless this has succeeded.
    private func begin(_ keys: borrowing TrafficKeys, of connection: UInt64) throws(OpenSSLError) {
        let hasKey = owner?.connection == connection && owner?.epoch == keys.epoch
        owner = nil
        guard keys.hasNumber else { throw OpenSSLError("EVP_CipherInit_ex2") }
        let nonce = keys.nonce
        let result = nonce.span.withUnsafeBufferPointer { nonce in
            EVP_CipherInit_ex2(
                context.handle, nil, hasKey ? nil : UnsafePointer(keys.key.baseAddress),
                nonce.baseAddress, -1, nil)
        }
        try ensure(result, "EVP_CipherInit_ex2")
        owner = (connection, keys.epoch)
    }

    func seal(
        _ content: Span<UInt8>, _ type: UInt8, to output: UnsafeMutableBufferPointer<UInt8>,
        _ keys: borrowing TrafficKeys, of connection: UInt64
    ) throws(OpenSSLError) -> Int {
        let length = content.count + RecordHeader.overhead
        precondition(length <= output.count && content.count <= RecordHeader.longestContent)
        try begin(keys, of: connection)
        let sealed = length - RecordHeader.length
        let header: InlineArray<5, UInt8> = [
            ContentType.data, 3, 3, UInt8(sealed >> 8), UInt8(sealed & 0xFF),
        ]
        for index in header.indices { output[index] = header[index] }
        let text = output.extracting(RecordHeader.length..<length - RecordHeader.tagLength)
        content.withUnsafeBufferPointer { content in
            _ = text.update(fromContentsOf: content)
        }
        text[content.count] = type
        guard try run(output, text) else { throw OpenSSLError("EVP_CipherFinal_ex") }
        try ensure(
            copenssl_get_tag(context.handle, output.extracting(length - 16..<length).baseAddress),
            "EVP_CIPHER_CTX_get_params")
        return length
    }

    func open(
        _ record: UnsafeMutableBufferPointer<UInt8>, _ keys: borrowing TrafficKeys,
        of connection: UInt64
    ) throws(OpenSSLError) -> Int? {
        let end = record.count - RecordHeader.tagLength
        precondition(end > RecordHeader.length, "the record has no room for a tag")
        try begin(keys, of: connection)
        // It would stay from the last record.
        try ensure(
            copenssl_set_tag(context.handle, record.extracting(end..<record.count).baseAddress),
            "EVP_CIPHER_CTX_set_params")
        return try run(record, record.extracting(RecordHeader.length..<end))
            ? end - RecordHeader.length : nil
    }

    /// Runs the text through the cipher, in place. False if the tag is wrong.
    private func run(
        _ record: UnsafeMutableBufferPointer<UInt8>, _ text: UnsafeMutableBufferPointer<UInt8>
    ) throws(OpenSSLError) -> Bool {
        var length: Int32 = 0
        try ensure(
            EVP_CipherUpdate(
                context.handle, nil, &length, record.baseAddress, Int32(RecordHeader.length)),
            "EVP_CipherUpdate")
        try ensure(
            EVP_CipherUpdate(
                context.handle, text.baseAddress, &length, text.baseAddress, Int32(text.count)),
            "EVP_CipherUpdate")
        var nothing: UInt8 = 0
        return EVP_CipherFinal_ex(context.handle, &nothing, &length) == 1
    }
}
