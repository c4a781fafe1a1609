import Testing

@testable import Cluster

@Suite("How an attempt to append ends")
struct AppendRaceTests {
    private func run(_ race: AppendRace, _ answer: PublishAnswer) -> (
        isOvertaken: Bool, wasSent: Bool
    ) {
        var wasSent = false
        let ending = race.run(1, patience: 0) { handler in
            wasSent = true
            handler(answer)
        }
        if case .overtaken = ending { return (true, wasSent) }
        return (false, wasSent)
    }

    @Test("An entry that was overtaken is not sent")
    func overtaken() {
        let race = AppendRace(of: 7)
        race.isOvertaken(7)
        let (isOvertaken, wasSent) = run(race, .stored(sequence: 1))
        #expect(isOvertaken && !wasSent)
    }

    /// The entry would be stored, and then be written again as another one.
    @Test("Late news of a former entry does not end the race of the next one")
    func late() {
        let race = AppendRace(of: 8)
        race.isOvertaken(7)
        let (isOvertaken, wasSent) = run(race, .stored(sequence: 1))
        #expect(!isOvertaken && wasSent)
    }
}
