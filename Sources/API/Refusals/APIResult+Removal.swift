import Mailbox

extension APIResult {
    /// To whoever removed a device or an owner.
    init(ofRemoval outcome: StoreOutcome) {
        switch outcome {
        case .done: self = .success((204, []))
        case .notFound: self = .failure(.unknown)
        default: self = .failure(.unavailable)
        }
    }
}
