/// A value that holds keys, tokens, endpoints or message bodies. It prints only the name of its
/// type, also to `dump` and debuggers.
package protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension Confidential {
    package var description: String { "<\(Self.self)>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Bytes that must never reach a log line, an error message or a crash report.
///
/// Copies share one block of memory, which is overwritten when the last copy is gone.
package struct Secret: Sendable, Confidential {
    private let storage: Storage

    package init(_ bytes: Span<UInt8>) {
        self.init(count: bytes.count) { block in
            for index in bytes.indices { block[index] = bytes[index] }
        }
    }

    /// `fill` gets the protected block, all zeros, and writes the secret into it.
    package init<Failure>(
        count: Int, fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let storage = Storage(count: count)
        var block = storage.bytes.mutableSpan
        try fill(&block)
        self.storage = storage
    }

    package var count: Int { storage.bytes.count }

    package func withSpan<Result: ~Copyable, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = storage.bytes
        defer { withExtendedLifetime(storage) {} }
        return try body(bytes.span)
    }
}

extension Secret {
    /// It is immutable once `init` has returned, so any thread may read it without a lock.
    private final class Storage: @unchecked Sendable {
        let bytes: UnsafeMutableBufferPointer<UInt8>

        init(count: Int) {
            bytes = .allocate(capacity: count)
            bytes.initialize(repeating: 0)
        }

        deinit {
            overwrite(bytes)
            bytes.deallocate()
        }
    }
}

extension Span<UInt8> {
    /// Takes the same time wherever the difference is, so that nobody finds a secret byte by byte.
    package func isEqualSecretly(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}

/// It is never inlined, so that the optimiser cannot remove the zeroing.
@inline(never)
package func overwrite(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    for index in bytes.indices { bytes[index] = 0 }
}
