import Crypto
import Delivery
import Mailbox
import Topics
import WebPush

extension DeliveryDesk {
    /// The message that the history of a topic or an account gets of a push to its endpoint; nil if
    /// it gets none. What replaces a former push is a later state of the same thing.
    func post(
        of message: Message, to registration: Registration
    ) throws(PushRefusal) -> TopicPost? {
        guard registration.terms.isOnlyShown || service.history.hasAccounts,
            let content = TopicContent(
                payload: message.content.body, registration.terms.dialect)
        else { return nil }
        let id: TopicMessageID
        do throws(OpenSSLError) { id = try mint.message(at: message.location) } catch {
            throw .unavailable
        }
        let isKept = message.content.needsStore
        let lifetime = isKept ? service.historyLifetime(of: registration) : 0
        let posted = TopicMessage(
            id: id, sequence: message.content.topic.flatMap { TopicName($0.text)?.text },
            time: message.arrival / 1_000, keptFor: lifetime, content)
        var post = TopicPost(posted, keptFor: lifetime)
        post.isOfAccount = !registration.terms.isOnlyShown
        if !post.isOfAccount { post.origin = ForwardOrigin(payload: message.content.body) }
        return post
    }
}
