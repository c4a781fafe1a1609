import Base
import Testing

@testable import Topics

@Suite("Time zones")
struct TimeZoneRuleTests {
    private static let header = Array("TZif".utf8)

    /// A data block with its header.
    private static func block(
        _ version: String, width: Int, _ times: [(Int64, UInt8)], _ offsets: [Int32],
        leapSeconds: UInt32 = 0
    ) -> [UInt8] {
        var bytes = header + version.utf8
        bytes += Array(repeating: 0, count: 20 - bytes.count)
        for count in [1, 1, leapSeconds, UInt32(times.count), UInt32(offsets.count), 4] {
            bytes.append(bigEndian: count)
        }
        for (time, _) in times {
            if width == 8 {
                bytes.append(bigEndian: UInt64(bitPattern: time))
            } else {
                bytes.append(bigEndian: UInt32(bitPattern: Int32(time)))
            }
        }
        bytes += times.map(\.1)
        for offset in offsets {
            bytes.append(bigEndian: UInt32(bitPattern: offset))
            bytes += [0, 0]
        }
        return bytes + Array("ABC\0".utf8) + Array(repeating: 0, count: Int(leapSeconds) * 8 + 2)
    }

    private static func file(_ text: String) -> [UInt8] {
        block("2", width: 4, [], [0])
            + block(
                "2", width: 8, [(-3_000_000_000, 1), (1_000_000_000, 2)], [3_208, 3_600, 7_200])
            + Array("\n\(text)\n".utf8)
    }

    private static let berlin = file("CET-1CEST,M3.5.0,M10.5.0/3")

    @Test("A file has the past as a list, and a rule for what comes")
    func file() throws {
        let rule = try #require(TimeZoneRule(file: Self.berlin))
        #expect(rule.offset(at: -3_000_000_001) == 3_208)
        #expect(rule.offset(at: -3_000_000_000) == 3_600)
        #expect(rule.offset(at: 999_999_999) == 3_600)
        // From the last change on the rule counts: 9 September 2001.
        #expect(rule.offset(at: 1_000_000_000) == 7_200)
        for (change, before, after) in [
            (1_792_890_000, 7_200, 3_600), (1_806_195_600, 3_600, 7_200),
            (1_824_944_400, 7_200, 3_600),
            (4_078_429_200, 3_600, 7_200),
        ] as [(Int64, Int64, Int64)] {
            #expect(rule.offset(at: change - 1) == before)
            #expect(rule.offset(at: change) == after)
        }
    }

    @Test("An old file has 32 bits and no rule")
    func oldFile() throws {
        let bytes = Self.block("\0", width: 4, [(-5, 1), (7, 0)], [60, 120])
        let rule = try #require(TimeZoneRule(file: bytes))
        #expect([-6, -5, 6, 7].map { rule.offset(at: $0) } == [60, 120, 120, 60])
    }

    @Test(
        "Rules of years",
        arguments: [
            ("<+03>-3", 0, 10_800), ("<-0330>3:30", 0, -12_600), ("UTC0", 5, 0),
            // South of the equator summer is around the new year: 1 January and 1 July 2027.
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_798_761_600, 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_814_400_000, 36_000),
            // 29 February 2028 is not counted by J, and is by the other: 1 March is J60 and 60.
            ("AAA0BBB,J60/0,J300", 1_835_481_600, 3_600), ("AAA0BBB,J60/0,J300", 1_835_481_599, 0),
            ("AAA0BBB,60/0,300", 1_835_481_600, 3_600), ("AAA0BBB,60/0,300", 1_835_481_599, 0),
            // Of 2027 it is the second of March.
            ("AAA0BBB,60/0,300", 1_803_945_599, 0), ("AAA0BBB,60/0,300", 1_803_945_600, 3_600),
            // Times before midnight, and of later days; summer time of half an hour.
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_806_195_600, -3_600),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_806_195_599, -7_200),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 1_806_105_600, 10_800),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 1_806_105_599, 7_200),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1_798_761_600, 39_600),
        ] as [(String, Int64, Int64)])
    func rules(_ text: String, _ seconds: Int64, _ offset: Int64) throws {
        let rule = try #require(YearlyRuleReader.rule(Array(text.utf8)[...]))
        #expect(rule.offset(at: seconds) == offset)
    }

    @Test(
        arguments: [
            "", "CE-1", "CET", "CET-1CEST", "CET-25", "CET-1CEST,M3.5.0",
            "CET-1CEST,M13.5.0,M1.1.1",
            "CET-1CEST,M3.6.0,M1.1.1", "CET-1CEST,M3.5.7,M1.1.1", "CET-1CEST,J0,J5",
            "CET-1CEST,366,5", "CET-1CEST,M3.5.0/168,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3x",
            "<+0", "<+0>1", "CET-1:60", "CET-1CEST,M3.5.0,M10.5.0,",
        ])
    func noRules(_ text: String) {
        #expect(YearlyRuleReader.rule(Array(text.utf8)[...]) == nil)
    }

    @Test("A file that is cut anywhere is none")
    func cut() {
        for end in Self.berlin.indices {
            #expect(TimeZoneRule(file: Array(Self.berlin[..<end])) == nil, "\(end)")
        }
    }

    @Test("A file whose bytes are changed is none, or a rule that can be asked")
    func changed() {
        for index in Self.berlin.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
                var bytes = Self.berlin
                bytes[index] = value
                guard let rule = TimeZoneRule(file: bytes) else { continue }
                for seconds in [0, 1_800_000_000, 4_000_000_000] as [Int64] {
                    #expect(abs(rule.offset(at: rule.seconds(local: seconds))) <= 26 * 3_600)
                }
            }
        }
    }

    @Test("Leap seconds, disorder, wild offsets and missing types are refused")
    func refused() {
        func block(
            _ times: [(Int64, UInt8)], _ offsets: [Int32], leapSeconds: UInt32 = 0
        ) -> [UInt8] {
            Self.block("\0", width: 4, times, offsets, leapSeconds: leapSeconds)
        }
        #expect(TimeZoneRule(file: block([(1, 0)], [0])) != nil)
        #expect(TimeZoneRule(file: block([(1, 0)], [0], leapSeconds: 1)) == nil)
        #expect(TimeZoneRule(file: block([(1, 0), (1, 0)], [0])) == nil)
        #expect(TimeZoneRule(file: block([(1, 1)], [0])) == nil)
        #expect(TimeZoneRule(file: block([(1, 0)], [93_601])) == nil)
        #expect(TimeZoneRule(file: block([(1, 0)], [-93_600])) != nil)
        #expect(TimeZoneRule(file: block([], [])) == nil)
    }

    @Test(
        arguments: [
            "Europe/Berlin", "UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "GB", "a/b/c/d",
            String(repeating: "x", count: 64),
        ])
    func names(_ name: String) { #expect(TimeZoneRule.isName(name)) }

    @Test(
        arguments: [
            "", "/etc/passwd", "../passwd", "Europe/..", "Europe//Berlin", "Europe/", "a b", "a.b",
            "Zürich", "a/b/c/d/e", String(repeating: "x", count: 65), "a\u{0}b",
        ])
    func noNames(_ name: String) { #expect(!TimeZoneRule.isName(name)) }
}
