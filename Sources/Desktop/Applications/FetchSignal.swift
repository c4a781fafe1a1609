import Base
import System

/// A fetch signal for the program that a registration names. The program gets a call on the bus;
/// nothing is shown.
package struct FetchSignal: Equatable, Sendable {
    /// The account whose engine sent it.
    package let source: String
    /// The id for confirming to the engine that the program has it.
    package var id: String?
    /// How many pushes it stands for; a waiting signal collects more and keeps its id.
    package var count: Int64 = 1
    package let service: String
    /// The version of simple push. If the sender gave none, it is the time, as other push services
    /// do.
    package let version: UInt64

    package init(source: String = "", id: String? = nil, service: String, version: UInt64) {
        self.source = source
        self.id = id
        self.service = service
        self.version = version
    }

    /// Nil for other updates.
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
