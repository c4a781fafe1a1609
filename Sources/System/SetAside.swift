/// The inputs that are not tried again because they crashed the program twice.
package struct SetAside: Sendable {
    private let key: (UInt64, UInt64)
    private let digests: Set<UInt64>

    package init() {
        key = (0, 0)
        digests = []
    }

    init(_ ledger: CrashLedger) {
        key = ledger.key
        digests = Set(ledger.entries.lazy.filter(\.isSetAside).map(\.digest))
    }

    package func contains(
        _ kind: Underway.Kind, _ first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) -> Bool {
        guard !digests.isEmpty else { return false }
        return digests.contains(Underway.digest(kind, first, second, key: key))
    }

    package func contains(_ kind: Underway.Kind, _ number: UInt32) -> Bool {
        guard !digests.isEmpty else { return false }
        let bytes = Underway.bytes(number)
        return contains(kind, bytes.span)
    }
}
