import Base
import Crypto
import Delivery
import SQLite

/// The key under which everything of an owner's topics is sealed. It is itself sealed under the
/// master key, and without it nobody reads what it sealed.
struct TopicOwner: Confidential {
    enum Found {
        /// The owner has no topics yet, or was forgotten.
        case none
        /// The fault is ours, and may pass.
        case unreadable
        case owner(TopicOwner)
    }

    /// The key of a row of the history has no room for a higher number.
    static let last: UInt32 = (1 << 21) - 1

    let row: UInt32
    /// The last position that was given.
    var position: Int64
    let key: MasterKey

    static func place(_ row: UInt32, of owner: String) -> Sealer.Place {
        Sealer.Place(
            table: "topic_owner", row: Int64(row), column: "sealed", owner: .name(owner))
    }

    static func find(
        _ row: UInt32, on connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> Found {
        let select = try connection.statement(
            "SELECT owner, position, sealed FROM topic_owner WHERE row = ?1", row)
        guard try select.step(), select.withBytes(2, { $0.count }) > 0 else { return .none }
        let place = place(row, of: select.text(0))
        guard let secret = select.withBytes(2, { try? sealer.open($0, at: place) }) else {
            return .unreadable
        }
        do throws(OpenSSLError) {
            guard let key = try MasterKey(secret) else { return .unreadable }
            return .owner(TopicOwner(row: row, position: select.integer(1), key: key))
        } catch { throw .crypto(error) }
    }

    /// The hash of the name that a sender has given something in a topic. Without the key nobody can
    /// tell the name, nor that two are the same.
    func digest(
        of name: String, in device: UInt32, _ hash: inout SHA256
    ) throws(OpenSSLError) -> [UInt8] {
        var text: [UInt8] = []
        text.append(bigEndian: UInt64(device))
        text += name.utf8
        return try key.digest(of: text.span, &hash).span.array(0..<16)
    }
}

/// Seals and opens what owners' topics say. Use it on one thread.
final class TopicSealers {
    private final class Box {
        var sealer: Sealer
        init(_ sealer: consuming Sealer) { self.sealer = sealer }
    }

    /// Each has contexts of OpenSSL.
    private static let limit = 64

    private var boxes: [UInt32: Box] = [:]

    func forget(_ owner: UInt32) { boxes[owner] = nil }

    func seal(
        _ record: some Coded, at place: Sealer.Place, of owner: TopicOwner
    ) throws(StoreFault) -> [UInt8] {
        let bytes = record.coded
        let box = try box(of: owner)
        do throws(OpenSSLError) { return try box.sealer.seal(bytes.span, at: place) } catch {
            throw .crypto(error)
        }
    }

    /// Nil for what does not open.
    func open<Record: Coded>(
        _ sealed: Span<UInt8>, at place: Sealer.Place, of owner: TopicOwner
    ) throws(StoreFault) -> Record? {
        let box = try box(of: owner)
        guard let opened = try? box.sealer.open(sealed, at: place) else { return nil }
        return Record.decoded(opened.withSpan { $0.array($0.indices) })
    }

    /// The owner may have been forgotten, and have another key since.
    private func box(of owner: TopicOwner) throws(StoreFault) -> Box {
        if let box = boxes[owner.row], box.sealer.keyID == owner.key.id { return box }
        do throws(OpenSSLError) {
            let box = Box(try Sealer(current: owner.key))
            if boxes.count >= Self.limit { boxes = [:] }
            boxes[owner.row] = box
            return box
        } catch { throw .crypto(error) }
    }
}
