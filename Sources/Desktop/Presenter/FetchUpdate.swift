import Base
import System

/// A fetch signal for a program that the registration names: it is told on the bus, not shown.
struct FetchUpdate: Equatable {
    let service: String
    /// That of simple push; where its sender gave none, the time, as push services have it.
    let version: UInt64

    /// Nil for everything else that an engine says.
    init?(_ node: JSONNode) {
        guard node["@type"]?.text == "bellwire.updateFetchRequired",
            let service = node["service"]?.text
        else { return nil }
        self.service = service
        version = node["version"]?.textOrNumber.flatMap { UInt64($0) } ?? UInt64(WallClock.now)
    }
}
