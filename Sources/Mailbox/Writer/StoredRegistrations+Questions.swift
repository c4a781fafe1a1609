import Base
import Crypto
import Delivery
import Topics

/// Questions at topics. Each ends in one transaction, with everything that follows from its end: it
/// leaves the screens, and readers of its topic are told the result.
extension StoredRegistrations {
    /// How long the result of a question is known.
    private static let resultLifetime: UInt32 = 30 * 86_400
    /// How long to wait with one whose owner cannot be read now.
    private static let questionPause: UInt32 = 60

    func perform(_ operation: QuestionOperation) throws(StoreFault) -> StoreOutcome {
        switch operation {
        case .ask(let asked, let message, let push): return try ask(asked, message, push)
        case .press(let press, let id, let engine):
            return try change(id) { question, isLate throws(StoreFault) in
                if let engine, try registration(of: question)?.engine != engine { return nil }
                return question.pressed(press, at: wall, isLate: isLate)
            }
        case .withdraw(let presser, let id, let mayAlways):
            return try change(id) { question, _ in
                question.withdrawn(by: presser, mayAlways: mayAlways, at: wall)
            }
        }
    }

    private var wall: Int64 { transaction.time.reading().wall / 1_000 }

    private func registration(of question: Question) throws(StoreFault) -> Registration? {
        try transaction.registration(question.device)
    }

    private func ask(
        _ asked: AskedQuestion, _ message: Message, _ push: EnginePush
    ) throws(StoreFault) -> StoreOutcome {
        let (question, device) = (asked.question, asked.question.device)
        let found = try topics.admission(to: device)
        guard case .owner(let owner) = found else { return found.answer }
        // Callers do not know each other's keys.
        let key =
            asked.key.isEmpty
            ? nil
            : try topics.digest(of: "question \(question.asker) \(asked.key)", in: device, owner)
        if let key,
            let row = try QuestionRows.find(key: key, of: device, on: transaction.connection)
        {
            guard let known = try QuestionRows.open(row, topics.sealers, of: owner) else {
                return .unavailable
            }
            guard known.asksLike(question, try mark(of: question, owner)) else {
                return .registration(.otherRequest)
            }
            return .registration(.question(known))
        }
        let (growth, holder) = (transaction.limits.growth, holder(of: question.asker))
        let open = try QuestionRows.countOpen(
            of: device, by: holder, on: transaction.connection)
        guard open.all < growth.topicQuestions, open.own < growth.questionsOfCaller else {
            return .registration(.tooMany)
        }
        let outcome = try receive(message, nil, push, asked.post)
        guard outcome == .done || outcome.isStored else { return outcome }
        try QuestionRows.insert(
            question, of: holder, key: key, until: asked.due,
            sealed: try QuestionRows.seal(question, topics.sealers, of: owner),
            on: transaction.connection)
        transaction.wake(at: asked.due)
        return .registration(.question(question))
    }

    /// Whose share a question counts for: who has one token can make more with it.
    private func holder(of asker: UInt32) -> UInt32 {
        var holder = asker
        for _ in 0..<OwnerLimits.tokens {
            guard let parent = transaction.index.credential(row: holder)?.token?.parent else {
                break
            }
            holder = parent
        }
        return holder
    }

    /// Carries out what somebody has chosen. Whoever comes too late gets what the question has
    /// become. `body` returns nil if there is no such question for whoever chooses.
    private func change(
        _ id: TopicMessageID,
        _ body: (inout Question, _ isLate: Bool) throws(StoreFault) -> Question.Verdict?
    ) throws(StoreFault) -> StoreOutcome {
        guard let row = try QuestionRows.find(id, on: transaction.connection) else {
            return .notFound
        }
        let found = try topics.admission(to: row.device)
        guard case .owner(let owner) = found else { return found.answer }
        guard var question = try QuestionRows.open(row, topics.sealers, of: owner) else {
            return .notFound
        }
        switch try body(&question, row.due <= transaction.time.now) {
        case nil: return .notFound
        case .refused(let refusal): return .registration(.questionRefused(refusal))
        case .late: break
        case .ended: try end(question, of: owner)
        }
        return .registration(.question(question))
    }

    /// The question has its result.
    private func end(_ question: Question, of owner: TopicOwner) throws(StoreFault) {
        let due = transaction.time.now.adding(seconds: Self.resultLifetime)
        try QuestionRows.end(
            question, until: due,
            sealed: try QuestionRows.seal(question, topics.sealers, of: owner),
            on: transaction.connection)
        transaction.wake(at: due)
        transaction.effects.questionNews.append(QuestionNews(id: question.id))
        #if PLANTED
            if PlantedMistake.answerLost.isMade { transaction.effects.questionNews.removeLast() }
        #endif
        try makeRoom(for: question)
        if let registration = try registration(of: question) {
            let shown = ShownSequence(question.id.text, in: question.device)
            try engines.withdraw([shown.name], of: registration)
        }
        let message = TopicMessage(
            id: try newMessageID(), sequence: question.id.text, time: wall,
            keptFor: question.kept, question.ending)
        _ = try topics.add(TopicPost(message, keptFor: question.kept), to: question.device)
    }

    private func newMessageID() throws(StoreFault) -> TopicMessageID {
        var random = RandomSupply()
        do throws(OpenSSLError) { return TopicMessageID(number: try random.word()) } catch {
            throw .crypto(error)
        }
    }

    /// Older results make room for the newest.
    private func makeRoom(for newest: Question) throws(StoreFault) {
        let limit = transaction.limits.growth.topicResults
        while let excess = try QuestionRows.excess(
            besides: newest, limit: limit, on: transaction.connection)
        {
            try QuestionRows.delete(excess, on: transaction.connection)
        }
    }

    /// Ends what was not answered in time, and forgets old results. Returns how many were due.
    func sweepQuestions(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        let rows = try QuestionRows.due(at: now, limit: limit, on: transaction.connection)
        for row in rows {
            guard !row.isEnded else {
                try QuestionRows.delete(row.id, on: transaction.connection)
                continue
            }
            switch try topics.admission(to: row.device) {
            case .unreadable:
                let later = now.adding(seconds: Self.questionPause)
                try QuestionRows.putOff(row.id, until: later, on: transaction.connection)
            case .owner(let owner):
                if var question = try QuestionRows.open(row, topics.sealers, of: owner) {
                    _ = question.expired(at: wall)
                    try end(question, of: owner)
                } else {
                    try QuestionRows.delete(row.id, on: transaction.connection)
                }
            case .none: try QuestionRows.delete(row.id, on: transaction.connection)
            }
        }
        return rows.count
    }

    /// Whether this message, or event, would change an open question. Clearing only takes it off the
    /// screens. Deleting what has ended deletes its words as well.
    func changesQuestion(_ message: TopicMessage, at device: UInt32) throws(StoreFault) -> Bool {
        guard message.sequence != message.id.text, message.kind != .clear,
            let id = TopicMessageID(message.sequence)
        else { return false }
        guard let row = try QuestionRows.find(id, on: transaction.connection), row.device == device
        else {
            // It may name the message that told the end of one.
            if message.kind == .delete {
                try forgetWords(of: try topics.states(of: id, in: device))
            }
            return false
        }
        guard row.isEnded else { return true }
        if message.kind == .delete { try forgetWords(of: row) }
        return false
    }

    /// What somebody has deleted may be states of questions that have ended.
    func forgetWords(of gone: [StoredTopics.State]) throws(StoreFault) {
        for state in gone {
            guard let id = TopicMessageID(state.shown.sequence),
                let row = try QuestionRows.find(id, on: transaction.connection),
                row.device == state.shown.device, row.isEnded
            else { continue }
            try forgetWords(of: row)
        }
    }

    private func forgetWords(of row: QuestionRows.Row) throws(StoreFault) {
        guard case .owner(let owner) = try topics.admission(to: row.device),
            var question = try QuestionRows.open(row, topics.sealers, of: owner),
            question.mark.isEmpty
        else { return }
        question.forgetWords(leaving: try mark(of: question, owner))
        try QuestionRows.end(
            question, until: row.due,
            sealed: try QuestionRows.seal(question, topics.sealers, of: owner),
            on: transaction.connection)
    }

    /// By this a question is known without its words.
    private func mark(
        of question: Question, _ owner: TopicOwner
    ) throws(StoreFault) -> [UInt8] {
        try topics.digest(of: "words \(question.words)", in: question.device, owner)
    }
}
