import Mailbox

extension APIResult {
    /// The answer to the removal of a device or an owner.
    init(ofRemoval outcome: StoreOutcome) {
        switch outcome {
        case .done: self = .success((204, []))
        case .notFound: self = .failure(.unknown)
        default: self = .failure(.unavailable)
        }
    }
}
