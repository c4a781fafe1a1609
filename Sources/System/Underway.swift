import CShims

/// Marks the input that a thread is handling, so that after a crash it is known what caused it.
///
/// A mark costs a few stores to the thread's own stack and no system call. The bytes are read only
/// by the signal handler (`CrashFile`), or once something is set aside (`SetAside`).
package enum Underway {
    /// The numbers are on the disk.
    package enum Kind: UInt32, Sendable, CaseIterable {
        /// Head and body of an HTTP request.
        case request = 1
        /// A message of a user agent on its WebSocket.
        case frame = 2
        /// The payload of a push to a registration, encrypted or decrypted.
        case payload = 3
        /// A request of an engine's client.
        case command = 4
        /// An account's engine and its stored state.
        case account = 5
        /// A registration that expires or is reminded.
        case registration = 6
        /// A message that is waiting for its user agent.
        case message = 7
    }

    /// `subject` is the engine concerned.
    package static func mark<Result: ~Copyable, Failure>(
        _ kind: Kind, _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), subject: UInt32 = 0,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try input(kind, first, second, subject) { input throws(Failure) in
            cshims_enter(input)
            defer { cshims_leave(input) }
            #if DEBUG
                PlantedTrap.spring("\(kind)", first, second)
            #endif
            return try body()
        }
    }

    /// Marks input that is known by a number.
    package static func mark<Result: ~Copyable, Failure>(
        _ kind: Kind, _ number: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = Self.bytes(number)
        return try mark(kind, bytes.span, subject: kind == .account ? number : 0, body)
    }

    static func bytes(_ number: UInt32) -> InlineArray<4, UInt8> {
        [
            UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8),
            UInt8(truncatingIfNeeded: number >> 16), UInt8(truncatingIfNeeded: number >> 24),
        ]
    }

    static func digest(
        _ kind: Kind, _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), key: (UInt64, UInt64)
    ) -> UInt64 {
        let key: InlineArray<2, UInt64> = [key.0, key.1]
        return input(kind, first, second, 0) { input in
            key.span.withUnsafeBufferPointer { cshims_digest($0.baseAddress, input) }
        }
    }

    private static func input<Result: ~Copyable, Failure>(
        _ kind: Kind, _ first: Span<UInt8>, _ second: Span<UInt8>, _ subject: UInt32,
        _ body: (UnsafeMutablePointer<cshims_input>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try first.withUnsafeBufferPointer { first throws(Failure) in
            try second.withUnsafeBufferPointer { second throws(Failure) in
                var input = cshims_input(
                    kind: kind.rawValue, subject: UInt64(subject), first: first.baseAddress,
                    first_count: first.count, second: second.baseAddress,
                    second_count: second.count, outer: nil)
                return try withUnsafeMutablePointer(to: &input, body)
            }
        }
    }
}
