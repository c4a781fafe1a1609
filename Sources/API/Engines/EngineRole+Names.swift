import Mailbox

extension EngineRole {
    /// Parses the words of clients: `fetcher` or `viewer`, and `true` or `false`.
    init(role: String?, raw: String?) throws(APIRefusal) {
        self.init()
        switch role {
        case nil, "fetcher": isFetcher = true
        case "viewer": isFetcher = false
        default: throw .badBody("role must be fetcher or viewer")
        }
        switch raw {
        case nil: takesRaw = nil
        case "true": takesRaw = true
        case "false": takesRaw = false
        default: throw .badBody("raw must be true or false")
        }
        guard isFetcher || takesRaw != true else {
            throw .badBody("only fetchers can have raw payloads")
        }
    }
}
