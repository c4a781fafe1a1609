import Base
import Testing

@Suite("Numbers of bytes")
struct ByteCountTests {
    @Test(
        "They have the largest unit of which there is one, and one digit after the point",
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"),
            (5 << 20, "5 MiB"), ((5 << 20) + (300 << 10), "5.3 MiB"), (3 << 40, "3072 GiB"),
        ])
    func text(_ bytes: Int, _ text: String) { #expect(ByteCount.text(bytes) == text) }
}
