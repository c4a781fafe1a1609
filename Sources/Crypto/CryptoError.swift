package import WebPush

/// Why an operation on foreign input failed: because of the input, or because of our machine.
///
/// The difference decides the answer: after a refusal the sender has to change something and may
/// forget the endpoint; after a fault of ours it must send the push again.
package enum CryptoError<Refusal: Error & Equatable>: Error, Equatable {
    case refusal(Refusal)
    case fault(OpenSSLError)

    /// Turns the error of a specification's rule into `refused`.
    static func refusing<Result: ~Copyable>(
        _ rule: () throws(Refusal) -> Result
    ) throws(Self) -> Result {
        do throws(Refusal) { return try rule() } catch { throw .refusal(error) }
    }
}

package typealias DecryptionError = CryptoError<DecryptionRefusal>
package typealias VAPIDError = CryptoError<VAPIDRefusal>
