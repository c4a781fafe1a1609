#if PLANTED
    /// Mistakes that tests make on purpose, to check that the model finds them.
    package enum StreamMistake: CaseIterable, Sendable {
        /// A replay from a time on leaves out the messages of that second.
        case skipsEqualTimes
        /// A replay after a message has that message again.
        case repeatsTheKnown
        /// What is committed while a page is read is never read.
        case forgetsTheMissed
        /// What is committed while a page is read is sent at once, before what is older.
        case overtakes
        /// A reader that was congested gets only what is committed later.
        case losesTheStalled
        /// What was committed since the first page of a replay is not read after the last.
        case endsTooEarly
    }
#endif
