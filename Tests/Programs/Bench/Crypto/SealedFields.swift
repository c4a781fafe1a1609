import Crypto

/// Database fields, sealed and opened.
final class SealedFields {
    private let plain: [[UInt8]]
    private let sealed: [[UInt8]]
    private var sealer: Sealer

    init(length: Int) throws {
        var sealer = try Sealer(current: try .generate())
        let plain = try (0..<Contest.itemCount).map { _ in try Random.bytes(count: length) }
        let sealed = try plain.enumerated().map { item, plain in
            try sealer.seal(plain.span, at: Self.place(item))
        }
        self.plain = plain
        self.sealed = sealed
        self.sealer = sealer
    }

    func seal(_ item: Int) throws {
        let plain = plain[item]
        _ = try sealer.seal(plain.span, at: Self.place(item))
    }

    func open(_ item: Int) throws {
        let sealed = sealed[item]
        _ = try sealer.open(sealed.span, at: Self.place(item))
    }

    private static func place(_ item: Int) -> Sealer.Place {
        Sealer.Place(table: "message", row: Int64(item), column: "body")
    }
}
