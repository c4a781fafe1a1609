import Base
import Mailbox
import PushService
import StatusPage
import Topics

/// Puts together what came to the topics of a visitor.
struct InboxDesk {
    /// As many as somebody reads at once.
    static let limit = 50

    let messages: MessageRoutes

    /// What the page asks for. Nil if the owner has nothing newer than the position `last`.
    func load(
        _ wish: Inbox.Wish, for caller: APICaller, after last: Int64?,
        then: @escaping (Result<Inbox?, APIRefusal>) -> Void
    ) {
        let index = messages.service.index
        messages.find(nil, caller) { found in
            do throws(APIRefusal) {
                let asked = try MessageWish(
                    words: wish.words, now: Int64(messages.service.now()))
                let all = try found.get().read(index)
                var (chosen, wish) = (all, wish)
                if !wish.topic.isEmpty {
                    guard let only = all.only(wish.topic, index) else { throw .unknown }
                    chosen = only
                    wish.topic = only.all.first?.id.text ?? ""
                }
                load(asked, wish, in: chosen, of: all, after: last, then)
            } catch { then(.failure(error)) }
        }
    }

    private func load(
        _ asked: MessageWish, _ wish: Inbox.Wish, in chosen: OwnTopics, of all: OwnTopics,
        after last: Int64?, _ then: @escaping (Result<Inbox?, APIRefusal>) -> Void
    ) {
        let newest = TopicQuery.newest(owner: all.owner ?? 0)
        messages.registrations.dialogue.load(.topic(newest)) { answer in
            guard case .topic(.newest(let newest)) = answer else {
                return then(.failure(.unavailable))
            }
            guard newest != last else { return then(.success(nil)) }
            messages.read(asked, in: chosen, Self.limit, before: wish.before ?? .max) { page in
                guard let page else { return then(.failure(.unavailable)) }
                var inbox = Inbox()
                (inbox.wish, inbox.next, inbox.newest) = (wish, page.next, newest)
                inbox.now = Int(messages.service.now())
                inbox.topics = all.all.filter(messages.service.keepsMessages).map {
                    Inbox.Topic(id: $0.id.text, name: $0.title)
                }
                inbox.items = page.entries.map { entry in
                    let topic = all.all.first { $0.device == entry.device }
                    var item = Inbox.Item(
                        entry.message, at: entry.position, topic: topic?.title ?? "",
                        topicID: topic?.id.text ?? "", isRead: entry.isCleared,
                        hasPicture: topic.map { PictureDesk.mayFind(entry.message, of: $0) }
                            ?? false)
                    for action in entry.message.content.actions {
                        item.hosts[action.id] = PageButtons.request(action)?.url.host
                    }
                    return item
                }
                guard inbox.hasQuestions else { return then(.success(inbox)) }
                addQuestions(in: chosen, to: inbox, then)
            }
        }
    }

    private func addQuestions(
        in topics: OwnTopics, to inbox: Inbox,
        _ then: @escaping (Result<Inbox?, APIRefusal>) -> Void
    ) {
        let query = TopicQuery.questions(
            owner: topics.owner ?? 0, of: Array(topics.names.keys))
        messages.registrations.dialogue.load(.topic(query)) { answer in
            guard case .topic(.questions(let questions)) = answer else {
                return then(.failure(.unavailable))
            }
            var inbox = inbox
            inbox.questions = questions.prefix(Self.limit).map {
                Inbox.Asked($0, topic: topics.names[$0.device] ?? "")
            }
            then(.success(inbox))
        }
    }
}
