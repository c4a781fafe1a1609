#if PLANTED
    import Base

    /// Mistakes that tests make on purpose, to check that the model finds them.
    package enum DeliveryMistake: CaseIterable, Sendable {
        /// The sender is told that a message was accepted before the device or the store has it.
        case answersTooEarly
        /// The same, for messages that were held when their device disconnected.
        case answersForTheLost
        /// An acknowledgement ends all messages of its topic.
        case settlesTopics
        /// The device gets a reply before all its acknowledgements are recorded.
        case repliesTooEarly
        /// An outstanding message is sent again from a page.
        case sendsTwice
        /// An acknowledged message is sent again from a page that was begun before.
        case forgetsSettled
        /// New messages are sent before waiting ones.
        case overtakes
        /// The oldest message is dropped when there is no room.
        case dropsTheOldest
    }

    extension DeliveryMistake {
        /// The one that the torture has to find.
        static var chosen: Self? {
            PlantedMistake.acknowledgeByTopic.isMade ? .settlesTopics : nil
        }
    }
#endif
