/// The rules for what we may send after the handshake, and what has to go before data.
///
/// A value: it knows neither keys nor the connection.
struct SentRecords: Equatable {
    enum Step: Equatable {
        /// A KeyUpdate, after which the keys change.
        case keyUpdate
        /// Data, at most so many bytes.
        case data(Int)
        /// Nothing may be sent any more.
        case ended
    }

    private let longestContent: Int
    /// The peer has asked for a KeyUpdate. One answers all that came before it.
    private(set) var owesKeyUpdate = false
    /// A close_notify or a fatal alert was sent, or a fatal alert came.
    private(set) var isEnded = false

    init(longestContent: Int = RecordHeader.longestContent) {
        self.longestContent = longestContent
    }

    /// Nothing is owed after the end.
    mutating func asksForKeyUpdate() { if !isEnded { owesKeyUpdate = true } }

    mutating func hasUpdatedKeys() { owesKeyUpdate = false }

    mutating func end() { (isEnded, owesKeyUpdate) = (true, false) }

    /// What the next record is, if there is data. `count` records were sealed under the current key,
    /// which may seal `limit` (RFC 9846 section 5.5).
    func next(after count: UInt64, limit: UInt64) -> Step {
        if isEnded { return .ended }
        return owesKeyUpdate || count >= limit ? .keyUpdate : .data(longestContent)
    }
}
