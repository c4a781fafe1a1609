import Base
import Delivery
import SQLite

@testable import Mailbox

/// What a store consists of, as lines of text that can be compared.
enum StorePicture {
    /// The rows of all tables but `state`.
    static func rows(_ folder: String) throws -> [String] {
        let connection = try Connection(folder + "/bellwire.db", .readOnly)
        var lines: [String] = []
        for table in try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'state' ORDER BY name",
            connection)
        {
            let columns = try texts("SELECT name FROM pragma_table_info('\(table)')", connection)
            let row = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            lines += try texts("SELECT \(row) FROM \(table)", connection).map { "\(table): \($0)" }
                .sorted()
        }
        return lines
    }

    /// What the index knows of what the tables contain.
    static func index(of store: SQLiteStore, _ folder: String) throws -> [String] {
        let connection = try Connection(folder + "/bellwire.db", .readOnly)
        let index = store.index
        var lines = [
            "devices: \(index.deviceCount)", "endpoints: \(index.endpointCount)",
            "usage: \(index.usage)", "files: \(index.files.bytes)",
        ]
        for device in try numbers("SELECT row FROM device", connection) {
            lines.append("usage of \(device): \(index.usage(ofDevice: device))")
            lines.append("owner of \(device): \(index.owner(ofDevice: device))")
        }
        for digest in try digests("SELECT user_agent FROM device", connection) {
            lines.append("user agent: \(String(describing: index.userAgent(digest)))")
        }
        for digest in try digests("SELECT endpoint FROM subscription", connection) {
            lines.append("endpoint: \(index.endpoint(digest))")
        }
        for digest in try digests("SELECT endpoint FROM ended_endpoint", connection) {
            lines.append("ended endpoint: \(index.endpoints[digest] == nil)")
        }
        for digest in try digests("SELECT secret FROM credential", connection) {
            lines.append("credential: \(String(describing: index.credential(digest)))")
        }
        for digest in try digests("SELECT name FROM topic_name", connection) {
            lines.append("topic: \(String(describing: index.topics.device(named: digest)))")
        }
        return lines
    }

    private static func texts(
        _ query: String, _ connection: borrowing Connection
    ) throws -> [String] {
        let select = try Statement(query, on: connection)
        var texts: [String] = []
        while try select.step() { texts.append(select.text(0)) }
        return texts
    }

    private static func numbers(
        _ query: String, _ connection: borrowing Connection
    ) throws -> [UInt32] {
        let select = try Statement(query, on: connection)
        var numbers: [UInt32] = []
        while try select.step() { numbers.append(UInt32(clamping: select.integer(0))) }
        return numbers
    }

    private static func digests(
        _ query: String, _ connection: borrowing Connection
    ) throws -> [Digest] {
        let select = try Statement(query, on: connection)
        var digests: [Digest] = []
        while try select.step() {
            if let digest = select.withBytes(0, { Digest($0) }) { digests.append(digest) }
        }
        return digests
    }

    /// The last entry of the log that is in the tables.
    static func applied(_ folder: String) throws -> Int64 {
        let connection = try Connection(folder + "/bellwire.db", .readOnly)
        let select = try Statement("SELECT applied FROM state", on: connection)
        return try select.step() ? select.integer(0) : -1
    }
}
