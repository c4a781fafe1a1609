import Base
import TestSupport
import Testing

@testable import WebPush

@Suite("VAPID rules")
struct VAPIDTests {
    static let header = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9"
    static let signature = Base64URL.text([UInt8](repeating: 5, count: 64).span)

    static func token(_ claims: String, header: String = header) -> [UInt8] {
        let claims = Base64URL.text(Array(claims.utf8).span)
        return Array("\(header).\(claims).\(signature)".utf8)
    }

    @Test("A token cut anywhere is refused")
    func cutAnywhere() {
        let token = Self.token(#"{"aud":"https://a.example","exp":1}"#)
        for prefix in prefixes(of: token) {
            var isRefused = false
            do throws(VAPIDRefusal) { _ = try JSONWebToken(prefix.span) } catch { isRefused = true }
            #expect(isRefused, "after \(prefix.count) bytes")
        }
    }

    @Test(
        "What is wrong with a token has its name",
        arguments: [
            ("\(header)..", VAPIDRefusal.badSignature), ("\(header)", .badJWT),
            ("\(header).e30", .badJWT), ("\(header)..\(signature).", .badJWT),
            ("..\(signature)", .badJWT), ("\(header).e30.AAAA", .badSignature),
            ("e30..\(signature)", .badAlgorithm),
        ])
    func malformed(token: String, refusal: VAPIDRefusal) {
        #expect(throws: refusal) { try JSONWebToken(Array(token.utf8).span) }
    }

    @Test("An Authorization cut anywhere names no whole token and key")
    func authorizationCutAnywhere() throws {
        let field = Array("vapid t=abc.def.ghi, k=BAAA".utf8)
        let whole = try VAPIDAuthorization(authorization: field, cryptoKey: nil)
        for prefix in prefixes(of: field) {
            let cut = try? VAPIDAuthorization(authorization: prefix, cryptoKey: nil)
            #expect(cut != whole)
        }
    }

    @Test(
        "exp as text is accepted in the old scheme only",
        arguments: [
            (VAPIDAuthorization.Scheme.webPush, "\"17\"", true), (.vapid, "\"17\"", false),
            (.bearer, "\"17\"", false), (.webPush, "\"1.5\"", false), (.vapid, "17.5", true),
            (.vapid, "1e400", false), (.vapid, "null", false), (.vapid, "[1]", false),
        ])
    func expiry(scheme: VAPIDAuthorization.Scheme, value: String, isTaken: Bool) throws {
        let bytes = Self.token(#"{"aud":"https://a.example","exp":\#(value)}"#)
        let token = try JSONWebToken(bytes.span)
        do throws(VAPIDRefusal) {
            _ = try token.claims(under: scheme)
            #expect(isTaken)
        } catch {
            #expect(!isTaken && error == .badExpiry)
        }
    }

    @Test("Every use is checked against clock, origin and bound key")
    func policy() throws {
        let key = Digest(InlineArray<32, UInt8>(repeating: 1))
        let otherKey = Digest(InlineArray<32, UInt8>(repeating: 2))
        let origin = Array("https://a.example".utf8)
        let entry = VAPIDCache.Entry(
            claims: VAPIDClaims(audiences: [origin], expiry: 1000), keyHash: key)
        func refusal(
            now: Double, leeway: Double = 0, origins: [[UInt8]]? = nil, keyHash: KeyHash? = nil
        ) -> VAPIDRefusal? {
            let policy = VAPIDPolicy(
                now: now, origins: origins ?? [origin], leeway: leeway, keyHash: keyHash)
            do throws(VAPIDRefusal) {
                try policy.check(entry)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(now: 1000) == nil)
        #expect(refusal(now: 1001) == .expired(by: 1))
        #expect(refusal(now: 1060, leeway: 60) == nil)
        #expect(refusal(now: 1061, leeway: 60) == .expired(by: 1))
        #expect(refusal(now: 1000 - 86_400) == nil)
        #expect(refusal(now: 999 - 86_400) == .expiryTooFar(by: 1))
        #expect(refusal(now: 1000, origins: [Array("https://b.example".utf8)]) == .audienceMismatch)
        #expect(refusal(now: 1000, keyHash: KeyHash(key)) == nil)
        #expect(refusal(now: 1000, keyHash: KeyHash(otherKey)) == .keyNotSubscribed)
    }
}

@Suite("One key pair for signing and encryption")
struct SharedKeyTests {
    /// A record whose key begins with 0x04 and the bytes 1, 2, and so on.
    private func record(_ first: UInt8 = 0x04, keyLength: UInt8 = 65, count: Int = 90) -> [UInt8] {
        Array(([UInt8](repeating: 0, count: 20) + [keyLength, first] + (1...80)).prefix(count))
    }

    private func isShared(_ body: [UInt8], encoding: String = "aes128gcm") -> Bool {
        let claims = VAPIDClaims(audiences: [], expiry: 0)
        let signer = VAPIDCache.Entry(
            claims: claims, keyHash: Digest(InlineArray<32, UInt8>(repeating: 1)),
            keyStart: Bits128(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10))
        var fields = PushFields()
        fields.record(Array("content-encoding".utf8).span, Array(encoding.utf8).span)
        return fields.isEncrypted(body.span, withKeyOf: signer)
    }

    @Test("A body that is encrypted with the key of its signature is known")
    func same() {
        #expect(isShared(record()) && isShared(record(count: 86)))
    }

    @Test("Another encoding, another key, or too few bytes are something else")
    func other() {
        #expect(!isShared(record(), encoding: "aesgcm"))
        #expect(!isShared(record(0x02)) && !isShared(record(keyLength: 64)))
        #expect(!isShared(record(count: 85)) && !isShared([]))
    }
}

@Suite("The cache of verified tokens")
struct VAPIDCacheTests {
    private func digest(_ number: Int) -> Digest {
        Digest(InlineArray<32, UInt8> { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
    }

    private func insert(
        _ token: Int, key: Int, audiences: [[UInt8]] = [], length: Int = 300,
        isKeyBound: Bool = false, at now: Double = 0, into cache: inout VAPIDCache
    ) {
        let claims = VAPIDClaims(audiences: audiences, expiry: 0)
        cache.insert(
            VAPIDCache.Entry(claims: claims, keyHash: digest(key)), for: digest(token),
            length: length, isKeyBound: isKeyBound, at: now)
    }

    @Test("A token that is too long or has too many audiences is not cached; one at the limits is")
    func large() {
        var cache = VAPIDCache(capacity: 10)
        let audience = Array("https://push.example".utf8)
        insert(1, key: 1, length: 2_049, into: &cache)
        insert(2, key: 1, audiences: Array(repeating: audience, count: 9), into: &cache)
        #expect(cache.count == 0 && cache.byteCount == 0)
        insert(3, key: 1, audiences: Array(repeating: audience, count: 8), into: &cache)
        insert(4, key: 1, length: 2_048, into: &cache)
        #expect(cache.count == 2)
    }

    @Test("It stays within its limit of bytes, however large its entries are")
    func bytes() {
        var cache = VAPIDCache(capacity: 10_000, byteLimit: 100_000)
        let audience = [UInt8](repeating: 1, count: 1_500)
        for number in 0..<1_000 {
            insert(number, key: number, audiences: [audience], into: &cache)
            #expect(cache.byteCount <= 100_000)
        }
        #expect(cache.count > 50 && cache.entry(for: digest(999)) != nil)
    }

    @Test("Entries older than a token's lifetime are removed, also when the clock was set back")
    func ages() {
        for later in [86_401.0, -86_401] {
            var cache = VAPIDCache(capacity: 10)
            insert(1, key: 1, isKeyBound: true, into: &cache)
            insert(2, key: 2, into: &cache)
            insert(3, key: 3, at: later / 2, into: &cache)
            cache.age(at: 86_400)
            #expect(later < 0 || cache.count == 3)
            cache.age(at: later)
            #expect(cache.entry(for: digest(1)) == nil && cache.entry(for: digest(2)) == nil)
            cache.age(at: later * 2)
            #expect(cache.count == 0 && cache.byteCount == 0)
        }
    }

    @Test("It stays within its capacity and forgets the oldest first")
    func capacity() {
        var cache = VAPIDCache(capacity: 10)
        for number in 0..<1000 {
            insert(number, key: number, into: &cache)
            #expect(cache.count <= 10)
        }
        #expect(cache.entry(for: digest(999)) != nil && cache.entry(for: digest(990)) != nil)
        #expect(cache.entry(for: digest(989)) == nil)
    }

    @Test("A key has at most 64 cached tokens")
    func perKey() {
        var cache = VAPIDCache(capacity: 1000)
        insert(1, key: 1, into: &cache)
        for number in 100..<300 {
            insert(number, key: 2, into: &cache)
        }
        #expect(cache.count == 1 + VAPIDCache.tokensPerKey)
        #expect(cache.entry(for: digest(1)) != nil && cache.entry(for: digest(299)) != nil)
    }

    @Test("Strangers cannot evict the tokens of keys bound to endpoints")
    func bound() {
        var cache = VAPIDCache(capacity: 10)
        insert(1, key: 1, isKeyBound: true, into: &cache)
        for number in 2..<1000 {
            insert(number, key: number, into: &cache)
        }
        #expect(cache.entry(for: digest(1)) != nil)
    }
}
