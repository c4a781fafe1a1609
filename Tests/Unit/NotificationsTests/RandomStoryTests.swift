import Foundation
import TestSupport
import Testing

@testable import Notifications

/// Whatever happens, the client's screen matches the engine.
@Suite("Random stories")
struct RandomStoryTests {
    /// For each kind; the gates use many more.
    private static let count =
        (ProcessInfo.processInfo.environment["BELLWIRE_STORIES"].flatMap { Int($0) } ?? 300) / 5

    @Test(
        "The screen follows the engine, and a start brings back what it should",
        arguments: StoryProfile.allCases)
    func stories(profile: StoryProfile) throws {
        for seed in 0..<UInt64(Self.count) { try play(profile, seed) }
    }

    private func play(_ profile: StoryProfile, _ seed: UInt64) throws {
        var play = RandomStory(profile, seed: seed)
        for step in 0..<60 {
            play.story.client.countLimit = 25
            play.story.client.sizeLimit = 25
            let before = play.story.engine.account.lastNotificationID
            let action = try play.goOn()
            let account = play.story.engine.account
            #expect(account.lastNotificationID >= before || action == .restart)
            if seed.isMultiple(of: 2), step.isMultiple(of: 4) { play.story.pass(61) }
            let engine = play.story.engine
            guard engine.queue.isEmpty else { continue }
            let place = "\(profile), \(seed), step \(step), \(action)"
            #expect(play.story.client.visible == Client.visible(engine), "\(place)")
            let visible = engine.activeGroups
            #expect(visible.count <= account.groupCountMax, "\(place)")
            #expect(
                visible.allSatisfy {
                    $0.notifications.count <= account.groupSizeMax
                        && $0.notifications.map(\.id) == $0.notifications.map(\.id).sorted()
                }, "\(place)")
        }
    }
}
