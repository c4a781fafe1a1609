import DeliveryModel

/// Plays one model: random stories, and every sequence of a few events.
package struct PlayRun<Model: Play> {
    /// How much to play.
    package struct Extent: Sendable {
        package var events: Int
        package var sequenceLength: Int
        package var seed: UInt64
        /// No new story begins after this time.
        package var patience: Duration

        package init(
            events: Int, sequenceLength: Int, seed: UInt64 = 1, patience: Duration = .seconds(600)
        ) {
            self.events = events
            self.sequenceLength = sequenceLength
            self.seed = seed
            self.patience = patience
        }
    }

    private static var storyLength: Int { 400 }

    private let extent: Extent
    private let start = ContinuousClock.now
    private var states: Set<Int> = []
    private var events = 0
    private var sequences = 0
    private var wasCut = false
    private var finding: PlayFinding?

    package static func report(_ extent: Extent) -> PlayReport {
        var run = PlayRun(extent)
        run.playStories()
        run.playSequences()
        return PlayReport(
            name: Model.name, events: run.events, sequences: run.sequences,
            states: run.states.count, seconds: run.elapsed / .seconds(1), wasCut: run.wasCut,
            finding: run.finding)
    }

    private init(_ extent: Extent) { self.extent = extent }

    private var elapsed: Duration { ContinuousClock.now - start }

    private mutating func playStories() {
        var seed = extent.seed
        while events < extent.events, finding == nil, !isOver() {
            var dice = Dice(seed: seed)
            let length = min(Self.storyLength, extent.events - events)
            let story = (0..<length).map { _ in Model.draw(&dice) }
            events += play(story)
            note(story, seed: seed)
            seed &+= 1
        }
    }

    private mutating func playSequences() {
        let letters = Model.alphabet
        let length = extent.sequenceLength
        let count = (0..<length).reduce(1) { count, _ in count * letters.count }
        var number = 0
        while number < count, finding == nil {
            if number % 1_024 == 0, isOver() { return }
            var rest = number
            var sequence: [Model.Event] = []
            for _ in 0..<length {
                sequence.append(letters[rest % letters.count])
                rest /= letters.count
            }
            _ = play(sequence)
            note(sequence, seed: nil)
            sequences += 1
            number += 1
        }
    }

    private mutating func isOver() -> Bool {
        guard elapsed > extent.patience else { return false }
        wasCut = true
        return true
    }

    /// Remembers how the last story broke a promise.
    private var broken: String?

    /// Returns how many events happened.
    private mutating func play(_ story: [Model.Event]) -> Int {
        var model = Model()
        var count = 0
        for event in story {
            model.happen(event)
            count += 1
            states.insert(model.state.hashValue)
            if model.finding != nil { break }
        }
        if model.finding == nil { model.settle() }
        broken = model.finding
        return count
    }

    private mutating func note(_ story: [Model.Event], seed: UInt64?) {
        guard broken != nil else { return }
        let shortest = Shrinking.shrink(story) { Self.finding(after: $0) != nil }
        finding = PlayFinding(
            text: Self.finding(after: shortest) ?? broken ?? "", seed: seed,
            events: shortest.map { "\($0)" })
    }

    private static func finding(after story: [Model.Event]) -> String? {
        var model = Model()
        for event in story {
            model.happen(event)
            if let finding = model.finding { return finding }
        }
        model.settle()
        return model.finding
    }
}

package struct PlayFinding: Sendable {
    package let text: String
    /// The seed of the story; nil for one of all sequences.
    package let seed: UInt64?
    /// The shortest story that leads to it.
    package let events: [String]
}

package struct PlayReport: Sendable {
    package let name: String
    package let events: Int
    package let sequences: Int
    package let states: Int
    package let seconds: Double
    /// The time was over before everything was played.
    package let wasCut: Bool
    package let finding: PlayFinding?
}
