#if PLANTED
    private import Glibc

    /// A known mistake that `BELLWIRE_PLANT` names, which proves that the torture finds it.
    package enum PlantedMistake: String {
        case answerBeforeCommit = "ANSWER_BEFORE_COMMIT"
        case acknowledgeByTopic = "ACKNOWLEDGE_BY_TOPIC"
        case idIsRow = "ID_IS_ROW"
        case dropOldest = "DROP_OLDEST"
        case expiryByWallClock = "EXPIRY_BY_WALL_CLOCK"
        case outboxAfterAnswer = "OUTBOX_AFTER_ANSWER"
        case mergeInFlight = "MERGE_IN_FLIGHT"
        case updateBeforeCommit = "UPDATE_BEFORE_COMMIT"
        case streamBeforeCommit = "STREAM_BEFORE_COMMIT"
        case scheduledTwice = "SCHEDULED_TWICE"
        case deletedReturns = "DELETED_RETURNS"
        case dismissedReturns = "DISMISSED_RETURNS"
        case secondAnswer = "SECOND_ANSWER"
        case answerLost = "ANSWER_LOST"
        case requestRepeated = "REQUEST_REPEATED"
        case backupMissesNewest = "BACKUP_MISSES_NEWEST"
        case restoreForgetsEnded = "RESTORE_FORGETS_ENDED"
        case noSync = "NO_SYNC"
        case noFolderSync = "NO_FOLDER_SYNC"
        case acknowledgeBeforeReply = "ACKNOWLEDGE_BEFORE_REPLY"
        case soundAgain = "SOUND_AGAIN"
        case leaveOnScreen = "LEAVE_ON_SCREEN"

        private static let chosen = getenv("BELLWIRE_PLANT").flatMap {
            PlantedMistake(rawValue: String(cString: $0))
        }

        package var isMade: Bool { self == Self.chosen }
    }
#endif
