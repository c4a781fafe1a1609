import Mailbox
import Testing

@testable import Cluster

@Suite("When a node does what is due from time to time")
struct UpkeepScheduleTests {
    private func report(_ syncsAlways: Bool, _ version: String) -> ServerReport {
        ServerReport(
            servers: [
                ServerReport.Server(name: "n", version: version, syncsAlways: syncsAlways)
            ])
    }

    @Test("The servers are asked each minute, and whenever the connection has come back")
    func asking() {
        var survey = SurveySchedule()
        let due = [(0, 0), (0, 59_999), (1, 59_999), (1, 60_000), (1, 119_999)].map {
            survey.isDue($0, at: $1)
        }
        #expect(due == [true, false, true, false, true])
    }

    @Test("What they say is news when something is wrong, and when nothing is wrong any more")
    func news() {
        var survey = SurveySchedule()
        let reports = [
            report(true, "2.15.1"), report(false, "2.15.1"), report(false, "2.15.2"),
            report(false, "2.14.5"), report(true, "2.15.1"), report(true, "2.15.1"),
        ]
        let news = reports.map { survey.isNews($0) }
        #expect(news == [false, true, false, true, true, false])
    }

    @Test("The highest entry is remembered every five seconds, if there is a new one")
    func confirmed() throws {
        var schedule = ConfirmedSchedule()
        let marks = try (1...2).map { try EntryMark(LogWriter.entry(UInt64($0)), at: Int64($0)) }
        #expect(EntryMark(marks[0].body) == marks[0])
        let first = schedule.isDue(marks[0], at: 0)
        schedule.kept(marks[0])
        let later = [(0, 5_000), (1, 5_000), (1, 5_001), (1, 10_000)].map { index, now in
            schedule.isDue(marks[index], at: now)
        }
        #expect(first && later == [false, true, false, true])
    }

    @Test("A copy is wanted until one is kept that has the entry")
    func copies() {
        var schedule = SnapshotSchedule()
        #expect(schedule.lacks(5))
        _ = schedule.kept(4, at: 0)
        #expect(schedule.lacks(5))
        _ = schedule.kept(5, at: 0)
        #expect(!schedule.lacks(5))
    }
}
