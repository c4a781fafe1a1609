package import Base

/// A key from which the keys of sealed fields are derived.
package struct MasterKey: Sendable {
    package static let length = 32

    /// Identifies the key in what it sealed. It is derived from the key, and reveals nothing about
    /// it.
    package let id: UInt64
    let secret: Secret

    /// Nil unless `secret` has 32 bytes.
    package init?(_ secret: Secret) throws(OpenSSLError) {
        guard secret.count == Self.length else { return nil }
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: secret, "bellwire master key id")
        }
        id = digest.span.word(at: 0)
        self.secret = secret
    }

    package static func generate() throws(OpenSSLError) -> MasterKey {
        guard let key = try MasterKey(try Random.secret(count: length)) else {
            preconditionFailure("the master key does not have \(length) bytes")
        }
        return key
    }

    /// A key for something else than sealed fields.
    package func key(for purpose: StaticString) throws(OpenSSLError) -> Secret {
        var hash = try SHA256()
        let digest = try secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: secret, purpose)
        }
        return Secret(digest.span)
    }

    /// A hash that nobody can make without the key.
    package func digest(
        of text: Span<UInt8>, _ hash: inout SHA256
    ) throws(OpenSSLError) -> SHA256.Digest {
        try secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: secret, text)
        }
    }

    package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        secret.withSpan(body)
    }
}

/// Encrypts single fields of the database, so that a stolen file is useless without the key.
///
/// A sealed field is: version (1) | key id (8) | salt (32) | AES-256-GCM ciphertext | tag (16). Its
/// key is HKDF-SHA-256 of the master key, the salt and a label; since that key is used only once,
/// the nonce may be zero. The place of the field is authenticated: moved to another row, or given to
/// another owner, it cannot be opened.
package struct Sealer: ~Copyable {
    /// Where a field belongs. It cannot be opened anywhere else.
    package struct Place: Sendable {
        package let table: StaticString
        package let row: Int64
        package let column: StaticString
        package let owner: Owner

        package init(
            table: StaticString, row: Int64, column: StaticString, owner: Owner = .nobody
        ) {
            (self.table, self.row, self.column, self.owner) = (table, row, column, owner)
        }
    }

    /// Whom a field belongs to, as its row says.
    package enum Owner: Equatable, Sendable {
        /// It is the server's own, or that of several owners.
        case nobody
        case number(Int64)
        case name(String)
    }

    /// This is always our own fault: nothing that a peer sends is ever unsealed.
    package enum Failure: Error, Equatable {
        case notSealed
        case unknownMasterKey(id: UInt64)
        case damaged
        case fault(OpenSSLError)
    }

    package static let version: UInt8 = 1
    private static let saltLength = 32
    private static let headerLength = 1 + 8 + saltLength
    /// How much longer a field is when it is sealed.
    package static let overhead = headerLength + GCM.tagLength
    private static let zeroNonce = InlineArray<12, UInt8>(repeating: 0)

    private let current: MasterKey
    private let keys: [UInt64: MasterKey]
    private var hash: SHA256
    private var random = RandomSupply()
    private var encryption: GCM
    private var decryption: GCM

    /// Seals under `current`; also opens what `former` keys sealed.
    package init(current: MasterKey, former: [MasterKey] = []) throws(OpenSSLError) {
        let hash = try SHA256()
        let encryption = try GCM("AES-256-GCM", encrypts: true)
        let decryption = try GCM("AES-256-GCM", encrypts: false)
        self.current = current
        keys = Dictionary((former + [current]).map { ($0.id, $0) }) { _, last in last }
        self.hash = hash
        self.encryption = encryption
        self.decryption = decryption
    }

    package mutating func seal(
        _ plain: Span<UInt8>, at place: Place
    ) throws(OpenSSLError) -> [UInt8] {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(Self.headerLength + plain.count + GCM.tagLength)
        sealed.append(Self.version)
        sealed.append(bigEndian: current.id)
        try random.append(Self.saltLength, to: &sealed)
        let key = try recordKey(
            current, sealed.span.extracting(Self.headerLength - Self.saltLength..<sealed.count))
        let associated = Self.associated(place, current.id)
        try encryption.seal(
            plain, key: key.span, nonce: Self.zeroNonce.span, associated: associated.span,
            appendingTo: &sealed)
        return sealed
    }

    package mutating func open(
        _ sealed: Span<UInt8>, at place: Place
    ) throws(Failure) -> Secret {
        guard let id = Self.masterKeyID(of: sealed) else { throw .notSealed }
        guard let master = keys[id] else { throw .unknownMasterKey(id: id) }
        do throws(OpenSSLError) {
            let key = try recordKey(master, sealed.extracting(9..<Self.headerLength))
            let associated = Self.associated(place, id)
            let text = sealed.extracting(Self.headerLength..<sealed.count)
            var length: Int?
            let plain = try Secret(count: text.count - GCM.tagLength) {
                block throws(OpenSSLError) in
                length = try block.withUnsafeMutableBufferPointer {
                    output throws(OpenSSLError) in
                    try decryption.open(
                        text, key: key.span, nonce: Self.zeroNonce.span,
                        associated: associated.span, into: output)
                }
            }
            if length != nil { return plain }
        } catch {
            throw .fault(error)
        }
        throw .damaged
    }

    /// The id of the key that it seals under.
    package var keyID: UInt64 { current.id }

    /// False if a rotation of the master key has to seal the field again.
    package func isSealedUnderCurrentKey(_ sealed: Span<UInt8>) -> Bool {
        Self.masterKeyID(of: sealed) == current.id
    }

    /// The id of the master key of a field, of which the first nine bytes are enough.
    package static func masterKeyID(ofStart start: Span<UInt8>) -> UInt64? {
        guard start.count >= 9, start[0] == version else { return nil }
        return start.word(at: 1)
    }

    private static func masterKeyID(of sealed: Span<UInt8>) -> UInt64? {
        sealed.count >= headerLength + GCM.tagLength ? masterKeyID(ofStart: sealed) : nil
    }

    /// HKDF (RFC 5869) with one block of output.
    private mutating func recordKey(
        _ master: MasterKey, _ salt: Span<UInt8>
    ) throws(OpenSSLError) -> SHA256.Digest {
        let key = try master.secret.withSpan { secret throws(OpenSSLError) in
            try hash.hmac(key: salt, secret)
        }
        return try hash.hmac(key: key.span, "bellwire sealed field\u{1}")
    }

    /// Each text follows its length, so that no two places give the same bytes.
    private static func associated(_ place: Place, _ id: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            5 * 8 + 1 + place.table.utf8CodeUnitCount + place.column.utf8CodeUnitCount)
        bytes.append(bigEndian: UInt64(place.table.utf8CodeUnitCount))
        bytes.append(contentsOf: place.table)
        bytes.append(bigEndian: UInt64(bitPattern: place.row))
        bytes.append(bigEndian: UInt64(place.column.utf8CodeUnitCount))
        bytes.append(contentsOf: place.column)
        bytes.append(bigEndian: id)
        switch place.owner {
        case .nobody: break
        case .number(let number):
            bytes.append(1)
            bytes.append(bigEndian: UInt64(bitPattern: number))
        case .name(let name):
            bytes.append(2)
            bytes += name.utf8
        }
        return bytes
    }
}
