import Mailbox

extension EngineRole {
    /// As clients say it: `fetcher` or `viewer`, and `true` or `false`.
    init(role: String?, raw: String?) throws(APIRefusal) {
        self.init()
        switch role {
        case nil, "fetcher": isFetcher = true
        case "viewer": isFetcher = false
        default: throw .badBody("role is fetcher or viewer")
        }
        switch raw {
        case nil: takesRaw = nil
        case "true": takesRaw = true
        case "false": takesRaw = false
        default: throw .badBody("raw is true or false")
        }
        guard isFetcher || takesRaw != true else {
            throw .badBody("raw payloads are for fetchers")
        }
    }
}
