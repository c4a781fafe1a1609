import HTTP
package import Mailbox
package import Topics

/// Asking.
extension TopicIntake {
    /// Asks what a publication asks, and answers when the question ends, or at once with its
    /// address.
    func ask(
        _ wish: QuestionWish, _ publication: Publication, with file: KeptUpload?,
        at entry: RegistrationCache.Entry, by asker: DeviceCredential, _ exchange: HTTPExchange
    ) throws(NtfyRefusal) {
        let operation = try drafts.operation(
            wish, publication, with: file, at: entry.registration, by: asker.row)
        submit(.question(operation), to: entry) { [questions] outcome in
            do throws(NtfyRefusal) {
                let question = try outcome.question.get()
                if wish.isHeld {
                    questions.hold(exchange, question, for: nil, with: .credential(asker.row))
                } else {
                    questions.tell(question, exchange, 202)
                }
            } catch { TopicAnswer.refuse(error, exchange) }
        }
    }
}

extension ServiceState {
    /// Who uses a connection that was let in with this pass; nil for nobody in particular.
    package func presser(_ pass: Pass, at place: QuestionPresser.Place) -> QuestionPresser? {
        switch pass {
        case .credential(let row):
            QuestionPresser(row, named: index.credential(row: row)?.name ?? "", at: place)
        case .localUser(let number): QuestionPresser(0, named: "uid:\(number)", at: place)
        case .administrator: QuestionPresser(0, named: Owner.administrator, at: place)
        case .open: nil
        }
    }
}

extension StoreOutcome {
    /// The question as it is after an operation.
    package var question: Result<Question, NtfyRefusal> {
        switch self {
        case .registration(.question(let question)): .success(question)
        case .registration(.questionRefused(.otherQuestion)): .failure(.otherQuestion)
        case .registration(.questionRefused(.noAnswer)): .failure(.badAnswer)
        case .registration(.questionRefused(.forbidden)): .failure(.forbidden)
        case .registration(.otherRequest): .failure(.askedOtherwise)
        case .registration(.tooMany): .failure(.tooManyQuestions)
        case .notFound: .failure(.noQuestion)
        default: .failure(NtfyRefusal(self))
        }
    }
}
