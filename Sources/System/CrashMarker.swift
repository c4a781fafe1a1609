package import CShims
import Glibc

/// Marks the input that a thread is handling, so that after a crash it is known what caused it.
///
/// A mark costs a few stores to the thread's own stack and no system call. The bytes are read only
/// by the signal handler (`CrashFile`), or once something is set aside (`SetAsideInputs`).
///
/// What is marked often is inlinable: a generic function that is called from another module looks up
/// its types at each call.
package enum CrashMarker {
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
    @inlinable package static func mark<Result: ~Copyable, Failure>(
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

    @inlinable package static func input<Result: ~Copyable, Failure>(
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

/// A page in the state folder in which the process writes, when a signal ends it, which input it
/// was handling.
package enum CrashFile {
    package static let name = "set-aside"

    /// What a start found there.
    package struct Finding: Sendable {
        package var setAside = SetAsideInputs()
        package var entries: [CrashLedger.Entry] = []
        /// The input that ended the previous process, if a signal ended it.
        package var crash: CrashLedger.Entry?
    }

    /// Reads what happened to the previous process and prepares the page for this one. Call it once
    /// per process, which must hold the folder.
    package static func open(in folder: String) throws(SystemError) -> Finding {
        let path = folder + "/" + name
        var ledger = try ledger(at: path) ?? CrashLedger(key: newKey, program: program)
        let crash = ledger.settle(program: program, time: Int64(WallClock.now))
        try AtomicFile.replace(path, with: ledger.bytes.span, mode: 0o600)
        let file = try FileDescriptor.open(path, O_RDWR | O_NOFOLLOW)
        let page = mmap(
            nil, CrashLedger.size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0)
        guard let page, page != MAP_FAILED else { throw SystemError("mmap") }
        let place = page.advanced(by: CrashLedger.crashStart)
            .assumingMemoryBound(to: cshims_crash.self)
        let key: InlineArray<2, UInt64> = [ledger.key.0, ledger.key.1]
        let code = key.span.withUnsafeBufferPointer { cshims_note_crashes(place, $0.baseAddress) }
        guard code == 0 else { throw SystemError("sigaction") }
        return Finding(setAside: SetAsideInputs(ledger), entries: ledger.entries, crash: crash)
    }

    /// Finds what a start would set aside, and changes nothing.
    package static func entries(in folder: String) throws(SystemError) -> [CrashLedger.Entry] {
        guard var ledger = try ledger(at: folder + "/" + name) else { return [] }
        _ = ledger.settle(program: program, time: Int64(WallClock.now))
        return ledger.entries
    }

    /// Nil if the file is missing or damaged: whatever was in it can be found out again.
    private static func ledger(at path: String) throws(SystemError) -> CrashLedger? {
        do throws(ForeignFile.Failure) {
            return CrashLedger(try ForeignFile.read(path))
        } catch {
            if case .system(let error) = error { throw error }
            return nil
        }
    }

    private static var newKey: (UInt64, UInt64) {
        (.random(in: .min ... .max), .random(in: .min ... .max))
    }

    /// A number that differs for another program, and for the same one installed again.
    private static var program: UInt64 {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return 0 }
        var number = UInt64(bitPattern: Int64(status.st_size))
        for part in [status.st_mtim.tv_sec, status.st_mtim.tv_nsec] {
            number = number &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(bitPattern: Int64(part))
        }
        return number
    }
}
