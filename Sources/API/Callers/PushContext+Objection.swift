import PushService

extension PushContext {
    /// Why somebody who was let in may do no more; nil as long as he may. From any thread.
    func objection(to caller: APICaller) -> APIRefusal? {
        if let secret = caller.secret {
            return index.credential(secret) == nil ? .unauthorized : nil
        }
        return doors.admit(caller.pass) ? nil : .notAllowed
    }
}
