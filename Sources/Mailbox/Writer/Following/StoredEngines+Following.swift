/// Batches of several stores.
extension StoredEngines {
    /// From now on, a batch can be taken back.
    func begin() {
        touched = []
        formerDrafts = drafts
        journal.begin()
    }

    /// The batch did not count: what it changed is read again when it is needed.
    func takeBack() {
        for row in touched ?? [] { loaded.remove(row) }
        drafts = formerDrafts
        journal.takeBack()
        consequences = []
    }

    /// Another store has changed these engines.
    func follow(_ changes: FollowedEngines) {
        for row in changes.changed { loaded.remove(row) }
        for (part, engine, isGone) in changes.parts {
            if isGone {
                drafts.removed(part, of: engine)
            } else {
                drafts.wrote(part, of: engine)
            }
        }
        for row in changes.rewritten { drafts.cancel(row) }
        for (row, position) in changes.saved { journal.forget(row, through: position) }
        for (record, engines, size) in changes.lostRecords {
            journal.lost(record, of: engines, size: size)
        }
        for (record, size) in changes.shortenedRecords { journal.removed(size: size, from: record) }
        for (record, engines, size) in changes.newRecords {
            journal.wrote(record, of: engines, size: size)
        }
    }
}
