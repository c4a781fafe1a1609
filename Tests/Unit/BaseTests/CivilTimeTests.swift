import Base
import Testing

@Suite("Dates and times")
struct CivilTimeTests {
    @Test(
        "A moment is read as RFC 3339 writes it",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-27T06:35:30.636905416Z", 1_795_761_330_636),
            ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
            ("2026-11-27t06:35:30z", 1_795_761_330_000),
            ("2026-11-27T06:35:30+01:00", 1_795_757_730_000),
            ("2026-11-27T06:35:30.05-00:30", 1_795_763_130_050),
        ])
    func moments(_ text: String, _ milliseconds: Int64) {
        #expect(CivilTime.milliseconds(rfc3339: text) == milliseconds)
    }

    @Test(
        arguments: [
            "", "Z", "2026-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2026-11-31T00:00:00Z",
            "2026-11-27T24:00:00Z", "2026-11-27T06:60:00Z", "2026-11-27T06:35:61Z",
            "2026-11-27 06:35:30Z", "2026-11-27T06:35:30", "2026-11-27T06:35:30.Z",
            "2026-11-27T06:35:30+1:00", "2026-11-27T06:35:30+24:00", "2026-11-27T06:35:30Zx",
            "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "2026-11-27T06:35:30+01.00",
        ])
    func noMoments(_ text: String) { #expect(CivilTime.milliseconds(rfc3339: text) == nil) }

    @Test("Reading takes back what writing made")
    func sameAgain() {
        for seconds in stride(from: 0 as Int64, through: 4_102_444_800, by: 7_654_321) {
            let text = CivilTime(secondsSince1970: seconds).rfc3339
            #expect(CivilTime.milliseconds(rfc3339: text) == seconds * 1_000)
        }
    }
}
