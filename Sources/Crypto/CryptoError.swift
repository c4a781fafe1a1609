package import WebPush

/// What stopped an operation on input from outside: the input itself, or our machine.
///
/// The difference decides the answer: a refusal is for the sender to mend and may be forgotten, a
/// fault is ours and the push must come again.
package enum CryptoError<Refusal: Error & Equatable>: Error, Equatable {
    case refusal(Refusal)
    case fault(OpenSSLError)

    /// Runs a rule of a specification.
    static func refusing<Result: ~Copyable>(
        _ rule: () throws(Refusal) -> Result
    ) throws(Self) -> Result {
        do throws(Refusal) { return try rule() } catch { throw .refusal(error) }
    }
}

package typealias DecryptionError = CryptoError<DecryptionRefusal>
package typealias VAPIDError = CryptoError<VAPIDRefusal>
