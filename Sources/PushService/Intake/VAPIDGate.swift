import Base
import Crypto
import Mailbox
import System
import WebPush

/// Decides whether the sender of a push may push to an endpoint.
struct VAPIDGate: ~Copyable {
    private static let leeway: Double = 60

    private var verifier: VAPIDVerifier
    /// Counts failures by endpoint, on all loops together.
    private let failures: FailureLimiter
    private var audiences: [[UInt8]]
    /// The URL schemes to try for a host name that the configuration does not know.
    private let schemes: [String]
    private let time: @Sendable () -> Double
    private let clock: ClockTrust

    init(_ settings: PushServiceSettings, _ failures: FailureLimiter) throws {
        verifier = try VAPIDVerifier()
        self.failures = failures
        audiences = settings.audiences
        schemes = ["https", settings.baseURL.origin.scheme]
        time = settings.now
        clock = ClockTrust(at: settings.now())
    }

    mutating func use(_ settings: PushServiceSettings) { audiences = settings.audiences }

    /// How many signatures had to be checked because no earlier push had them.
    var signaturesChecked: Int { verifier.signaturesChecked }

    /// Whether this push's signature was checked before, so that it costs nothing more.
    mutating func knows(_ fields: borrowing PushFields) -> Bool {
        verifier.knows(authorization: fields.authorization, cryptoKey: fields.cryptoKey)
    }

    /// Returns the key of a sender that signed; nil if it did not and need not.
    ///
    /// A signature must be right even where none is needed.
    mutating func admit(
        _ fields: borrowing PushFields, _ body: Span<UInt8>, to endpoint: Endpoint,
        of authority: Span<UInt8>
    ) throws(PushRefusal) -> KeyHash? {
        guard fields.authorization != nil else {
            if case .key = endpoint.sender { throw .unauthorized(.missingToken) }
            return nil
        }
        let now = time()
        let key = UInt64(endpoint.address.subscription)
        guard !failures.isExhausted(key, second: Int64(now)) else {
            throw .tooMany(retryAfter: RetryAfter.nextSecond)
        }
        let entry: VAPIDCache.Entry
        do throws(VAPIDError) {
            entry = try verify(fields, endpoint, audiences, now)
        } catch {
            guard case .refusal(let refusal) = error else { throw .unavailable }
            failures.count(key, second: Int64(now))
            let circumstances = PushRefusal.Circumstances(
                leeway: Self.leeway, isClockTrusted: clock.isTrusted(now),
                namesAddressee: refusal == .audienceMismatch
                    && names(authority, fields, endpoint, now))
            throw PushRefusal(refusal, circumstances)
        }
        guard !fields.isEncrypted(body, withKeyOf: entry) else { throw .encryption(.sharedKey) }
        return KeyHash(entry.keyHash)
    }

    private mutating func verify(
        _ fields: borrowing PushFields, _ endpoint: Endpoint, _ origins: [[UInt8]], _ now: Double
    ) throws(VAPIDError) -> VAPIDCache.Entry {
        var policy = VAPIDPolicy(now: now, origins: origins, leeway: Self.leeway)
        if case .key(let key) = endpoint.sender { policy.keyHash = key }
        return try verifier.verify(
            authorization: fields.authorization, cryptoKey: fields.cryptoKey, policy: policy)
    }

    /// Whether the signature names the host to which the request came. Then the configuration lacks
    /// that name, and the sender made no mistake.
    private mutating func names(
        _ authority: Span<UInt8>, _ fields: borrowing PushFields, _ endpoint: Endpoint,
        _ now: Double
    ) -> Bool {
        let name = String(decoding: authority.array(authority.indices), as: UTF8.self)
        let origins = schemes.compactMap { Origin(url: $0 + "://" + name)?.audiences }
        guard !origins.isEmpty else { return false }
        return (try? verify(fields, endpoint, origins.flatMap { $0 }, now)) != nil
    }
}

/// Whether this machine's clock is good enough to judge the times in a signature.
///
/// A clock is not good enough while it shows a day before this program was written, as on a machine
/// without a battery, or after it was set far forward or back while the program ran.
package struct ClockTrust: Sendable {
    private static let earliest: Double = 1_767_225_600
    private static let tolerance: Double = 60 * 60

    private let start: Double
    private let boot: Int64

    init(at now: Double) {
        start = now
        boot = Boot.milliseconds
    }

    /// Whether a clock can show this time: it is after this program was written.
    package static func isPlausible(_ now: Double) -> Bool { now >= earliest }

    func isTrusted(_ now: Double) -> Bool {
        let elapsed = Double(Boot.milliseconds - boot) / 1_000
        return Self.isPlausible(now) && abs(now - start - elapsed) < Self.tolerance
    }
}
