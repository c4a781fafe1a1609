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

    @Test(
        "A moment is written and read as RFC 9110 does it",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] as [(Int64, String)])
    func httpDate(seconds: Int64, text: String) {
        #expect(CivilTime(secondsSince1970: seconds).httpDate == text)
        #expect(CivilTime.seconds(httpDate: text) == seconds)
    }

    @Test(
        arguments: [
            "", "120", "Sun, 06 Nov 1994 08:49:37", "Mon, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Wed, 31 Dec 1969 23:59:59 GMT",
        ])
    func noHTTPDates(_ text: String) { #expect(CivilTime.seconds(httpDate: text) == nil) }
}
