import Base
import Foundation
import TestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
    /// Easy to find in any output, in clear and in hex.
    static let text = "xyzzy-secret-xyzzy"

    @Test("A secret never prints")
    func printing() {
        let secret = Secret(Array(Self.text.utf8).span)
        var dumped = ""
        dump(secret, to: &dumped)
        let texts = [
            dumped, "\(secret)", String(describing: secret), String(reflecting: secret),
            "\([secret])", "\(Optional(secret) as Any)", String(reflecting: ["key": secret]),
        ]
        for text in texts {
            #expect(!text.contains("xyzzy") && !text.contains("120, 121, 122"))
        }
    }

    @Test("A crash shows no secret")
    func crash() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let secret = Secret(Array("xyzzy-secret-xyzzy".utf8).span)
            try FileHandle.standardError.write(contentsOf: Data("broken near \(secret)".utf8))
            withExtendedLifetime(secret) {
                preconditionFailure("broken near \(secret)")
            }
        }
        let output = (result?.standardErrorContent ?? []) + (result?.standardOutputContent ?? [])
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("broken near <Secret>") && !text.contains("xyzzy"))
    }

    /// A pattern that exists in memory only where it was written, because it is computed.
    private static func byte(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index &+ 11) &* 0x9D &+ (index >> 3) &* 0x35)
    }

    private static let length = 4096

    // A sanitizer's shadow memory is too large to search.
    @Test(
        "A released secret leaves no trace in memory",
        .disabled(if: OwnMemory.isSanitized))
    func wiped() async {
        // In a process of its own, whose memory is small enough to be searched.
        await #expect(processExitsWith: .success) {
            func make() -> Secret {
                Secret(count: Self.length) { block in
                    for index in block.indices { block[index] = Self.byte(index) }
                }
            }
            // Many, because freed memory may be overwritten by chance.
            var secrets = (0..<200).map { _ in make() }
            guard try Self.occurrences() >= secrets.count else { exit(1) }
            secrets.removeAll()
            guard try Self.occurrences() == 0 else { exit(2) }
            exit(0)
        }
    }

    /// How often the middle of the pattern occurs in this process's writable memory.
    private static func occurrences() throws -> Int {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
        var count = 0
        for line in maps.split(separator: "\n") where line.contains(" rw-p ") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").map {
                UInt64($0, radix: 16)
            }
            guard let start = bounds[0], let end = bounds[1], end - start < 1 << 28 else {
                continue
            }
            try memory.seek(toOffset: start)
            guard let bytes = try? memory.read(upToCount: Int(end - start)) else { continue }
            count += bytes.withUnsafeBytes(matches)
        }
        return count
    }

    /// Compares with the computed pattern, which is therefore never in memory itself. An allocator
    /// may reuse the first bytes of a freed block; the middle stays.
    private static func matches(in bytes: UnsafeRawBufferPointer) -> Int {
        let first = 1024
        let last = 1100
        var count = 0
        var index = 0
        while index + (last - first) <= bytes.count {
            var offset = 0
            while offset < last - first, bytes[index + offset] == byte(first + offset) {
                offset += 1
            }
            if offset == last - first { count += 1 }
            index += 1
        }
        return count
    }
}
