/// What a delivery could do wrong. Programs for tests do it on purpose, to see that it is found.
package enum DeliveryMistake: CaseIterable, Sendable {
    /// Its sender hears that a message was accepted before anybody has it.
    case answersTooEarly
    /// The same, of what was held when its device went away.
    case answersForTheLost
    /// An acknowledgement ends all messages of its topic.
    case settlesTopics
    /// The device hears of us before all that it acknowledged is recorded.
    case repliesTooEarly
    /// A message that is outstanding is sent once more from a page.
    case sendsTwice
    /// What was acknowledged is sent once more from a page that was begun before.
    case forgetsSettled
    /// What comes now is sent before what waits.
    case overtakes
    /// The oldest message gives way when there is no room.
    case dropsTheOldest
}

extension DeviceDelivery {
    /// Never, but in tests.
    func makes(_ mistake: DeliveryMistake) -> Bool {
        #if PLANT_ACKNOWLEDGE_BY_TOPIC
            if mistake == .settlesTopics { return true }
        #endif
        #if DEBUG
            return self.mistake == mistake
        #else
            return false
        #endif
    }

    /// A mistake.
    mutating func settleAll(like message: Message, _ actions: inout [DeliveryAction]) {
        for other in outstanding
        where message.content.topic != nil && other.message.content.topic == message.content.topic {
            settle(.message(other.message.reference), &actions)
        }
    }
}
