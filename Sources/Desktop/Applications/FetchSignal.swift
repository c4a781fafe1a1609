import Base
import System

/// A fetch signal for a program that a registration names: it is told on the bus, not shown.
package struct FetchSignal: Equatable, Sendable {
    /// Of whose engine.
    package let source: String
    /// By which the engine is told that the program has heard it.
    package var id: String?
    /// How many of the sender's are in it: one that waits grows, and keeps its name.
    package var count: Int64 = 1
    package let service: String
    /// That of simple push; where its sender gave none, the time, as push services have it.
    package let version: UInt64

    package init(source: String = "", id: String? = nil, service: String, version: UInt64) {
        self.source = source
        self.id = id
        self.service = service
        self.version = version
    }

    /// Nil for everything else that an engine says.
    init?(_ node: JSONNode, from source: String) {
        guard node["@type"]?.text == "bellwire.updateFetchRequired",
            let service = node["service"]?.text
        else { return nil }
        self.init(
            source: source, id: node["id"]?.textOrNumber, service: service,
            version: node["version"]?.textOrNumber.flatMap { UInt64($0) }
                ?? UInt64(WallClock.now))
        count = node["count"]?.integer ?? 1
    }
}
