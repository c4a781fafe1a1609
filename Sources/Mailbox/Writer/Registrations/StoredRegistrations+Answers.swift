import Base
import Crypto
import Delivery

/// Answers that are repeated.
extension StoredRegistrations {
    private static let answerTable: StaticString = "kept_answer"
    private static let answerColumn: StaticString = "sealed"

    private static func place(ofAnswer row: Int64, of owner: String) -> Sealer.Place {
        Sealer.Place(table: answerTable, row: row, column: answerColumn, owner: .name(owner))
    }

    /// The outcome of an earlier request with the same key; nil for a new request.
    func outcome(of answer: KeptAnswer) throws(StoreFault) -> StoreOutcome? {
        let select = try transaction.connection.statement(
            "SELECT row, body, sealed, owner FROM kept_answer WHERE request = ?1 AND expires > ?2",
            answer.request.bytes, transaction.time.now.milliseconds)
        guard try select.step() else { return nil }
        guard select.bytes(1) == answer.body.bytes else { return .registration(.otherRequest) }
        let place = Self.place(ofAnswer: select.integer(0), of: select.text(3))
        guard let former = transaction.unsealed(select.bytes(2), at: place) else {
            return .unavailable
        }
        return .registration(.answered(former))
    }

    func keep(_ answer: KeptAnswer, of owner: String) throws(StoreFault) {
        let end = transaction.time.now.adding(seconds: KeptAnswer.lifetime)
        // An expired answer may still be there.
        try transaction.connection.run(
            "DELETE FROM kept_answer WHERE request = ?1", answer.request.bytes)
        let row = try transaction.connection.number(
            "SELECT coalesce(max(row), 0) + 1 FROM kept_answer")
        let sealed = try transaction.seal(
            answer.answer, at: Self.place(ofAnswer: row, of: owner))
        try transaction.connection.run(
            "INSERT INTO kept_answer VALUES (?1, ?2, ?3, ?4, ?5, ?6, length(?5))", row,
            answer.request.bytes, answer.body.bytes, end.milliseconds, sealed, owner)
        transaction.wake(at: end)
    }

    /// Deletes some expired answers; returns how many.
    func sweepAnswers(at now: StoreTime, limit: Int) throws(StoreFault) -> Int {
        try rows.deleteExpired(at: now, limit: limit)
    }
}
