import PushService

extension PushContext {
    /// Why a client that was admitted before is refused now, or nil. May be called from any thread.
    func objection(to caller: APICaller) -> APIRefusal? {
        if let secret = caller.secret {
            return index.credential(secret) == nil ? .unauthorized : nil
        }
        return doors.admit(caller.pass) ? nil : .notAllowed
    }
}
