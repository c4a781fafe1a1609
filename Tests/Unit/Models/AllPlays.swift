/// All models, in the order in which they are played.
package enum AllPlays {
    package static let names = [
        DeliveryPlay.name, OutboxPlay.name, LinkPlay.name, DistributorPlay.name,
        PresenterPlay.name, RightsPlay.name,
    ]

    /// Nil if there is no such model.
    package static func report(
        _ name: String, events: Int, sequenceLength: Int, seed: UInt64, patience: Duration
    ) -> PlayReport? {
        func play<Model: Play>(_ model: Model.Type) -> PlayReport {
            PlayRun<Model>.report(
                PlayRun.Extent(
                    events: events, sequenceLength: sequenceLength, seed: seed, patience: patience))
        }
        switch name {
        case DeliveryPlay.name: return play(DeliveryPlay.self)
        case OutboxPlay.name: return play(OutboxPlay.self)
        case LinkPlay.name: return play(LinkPlay.self)
        case DistributorPlay.name: return play(DistributorPlay.self)
        case PresenterPlay.name: return play(PresenterPlay.self)
        case RightsPlay.name: return play(RightsPlay.self)
        default: return nil
        }
    }
}
