import Mailbox

extension PushService {
    /// The answer to who removed a device or an owner; whatever that ended is disconnected.
    func result(ofRemoval outcome: StoreOutcome) -> APIResult {
        switch outcome {
        case .done:
            endSessionsOfRemovedDevices()
            return .success((204, []))
        case .notFound: return .failure(.unknown)
        default: return .failure(.unavailable)
        }
    }
}
