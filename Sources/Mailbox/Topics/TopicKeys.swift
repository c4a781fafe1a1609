import Base
import Crypto
import Delivery
import SQLite

/// The key under which everything of an owner's topics is sealed. It is itself sealed under the
/// master key, and without it nobody reads what it sealed.
struct TopicOwner: Confidential {
    let owner: UInt32
    /// The last position that was given.
    var position: Int64
    let key: Secret

    static let length = MasterKey.length

    static func place(_ row: UInt32, of owner: String) -> Sealer.Place {
        Sealer.Place(
            table: "topic_owner", row: Int64(row), column: "sealed", owner: .name(owner))
    }

    /// Nil if the owner has no topics yet, or the key cannot be unsealed.
    static func load(
        _ row: UInt32, from connection: borrowing Connection, _ sealer: inout Sealer
    ) throws(StoreFault) -> TopicOwner? {
        let select = try connection.statement(
            "SELECT owner, position, sealed FROM topic_owner WHERE row = ?1", row)
        guard try select.step() else { return nil }
        let place = place(row, of: select.text(0))
        guard let key = select.withBytes(2, { try? sealer.open($0, at: place) }),
            key.count == length
        else { return nil }
        return TopicOwner(owner: row, position: select.integer(1), key: key)
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

    private static func place(_ position: Int64) -> Sealer.Place {
        Sealer.Place(table: "topic_message", row: position, column: "sealed")
    }

    func seal(
        _ record: TopicRecord, at position: Int64, of owner: TopicOwner
    ) throws(StoreFault) -> [UInt8] {
        var (coder, record) = (Coder(), record)
        record.code(&coder)
        let bytes = coder.written
        let box = try box(of: owner)
        do throws(OpenSSLError) {
            return try box.sealer.seal(bytes.span, at: Self.place(position))
        } catch { throw .crypto(error) }
    }

    /// Nil for what does not open.
    func open(
        _ sealed: Span<UInt8>, at position: Int64, of owner: TopicOwner
    ) throws(StoreFault) -> TopicRecord? {
        let box = try box(of: owner)
        guard let opened = try? box.sealer.open(sealed, at: Self.place(position)) else {
            return nil
        }
        var coder = Coder(reading: opened.withSpan { $0.array($0.indices) })
        let record = coder.coded(TopicRecord())
        return coder.isWhole ? record : nil
    }

    private func box(of owner: TopicOwner) throws(StoreFault) -> Box {
        if let box = boxes[owner.owner] { return box }
        do throws(OpenSSLError) {
            guard let key = try MasterKey(owner.key) else {
                preconditionFailure("a topic key has \(MasterKey.length) bytes")
            }
            let box = Box(try Sealer(current: key))
            if boxes.count >= Self.limit { boxes = [:] }
            boxes[owner.owner] = box
            return box
        } catch { throw .crypto(error) }
    }
}
