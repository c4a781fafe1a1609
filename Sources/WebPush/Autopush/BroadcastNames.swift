import Base

/// The broadcasts that a client asked for, as positions in its frame.
///
/// This service has none, and says so for each.
package struct BroadcastNames: Sendable {
    private let start: Int?

    init(at start: Int? = nil) { self.start = start }

    /// Appends `{}`, or every name with an error that there is no such broadcast.
    func appendAnswer(_ payload: Span<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        forEach(in: payload) { name in
            output.append(contentsOf: isFirst ? #""errors":{""# : #",""#)
            // The client's own string, escapes included.
            output.append(contentsOf: payload.extracting(name))
            output.append(contentsOf: #"":"Broadcast not found""#)
            isFirst = false
        }
        output.append(contentsOf: isFirst ? "}" : "}}")
    }

    package func isEmpty(in payload: Span<UInt8>) -> Bool {
        var isEmpty = true
        forEach(in: payload) { _ in isEmpty = false }
        return isEmpty
    }

    private func forEach(in payload: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        guard let start else { return }
        var cursor = JSONCursor(at: start)
        do throws(JSONCursor.Invalid) {
            try cursor.beginObject(in: payload)
            while let name = try cursor.nextName(in: payload) {
                body(name.range)
                try cursor.skipValue(in: payload)
            }
        } catch {
            // It was read before, so this cannot happen.
        }
    }
}
