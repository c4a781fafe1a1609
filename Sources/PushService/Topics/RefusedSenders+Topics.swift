import Mailbox
import Topics
import WebPush

extension ServiceState {
    /// Somebody with this credential was refused at a topic of the same owner.
    func note(
        refused sender: DeviceCredential, at topic: UInt32, _ reason: String, status: Int
    ) {
        refusedSenders.note(
            ListedRefusal {
                $0.sender = sender.name
                $0.status = status
                $0.reason = reason
                $0.time = Int(now())
            }, at: topic)
    }

    /// What a visitor wanted to publish is refused. What fails by the server's fault is not the sender's.
    func note(_ refusal: NtfyRefusal, of visitor: TopicVisitor, at topic: Registration) {
        guard let sender = visitor.credential, refusal.http < 500,
            visitor.isKnown(to: topic.owner, for: topic.terms.topicName)
        else { return }
        note(
            refused: sender, at: topic.device,
            ListedRefusal.Reason.message + "\(refusal.code)", status: refusal.http)
    }
}

extension TopicCaller {
    /// Why a caller with a credential may not do that with a topic of its owner.
    func objection(to use: TopicUse, at name: TopicName) -> String {
        guard case .token(let terms) = self else { return ListedRefusal.Reason.receiveOnly }
        guard terms.pattern.matches(name) else { return ListedRefusal.Reason.otherTopics }
        switch use {
        case .publish:
            return allows(.read)
                ? ListedRefusal.Reason.mayOnlyRead : ListedRefusal.Reason.mayNotPush
        case .read: return ListedRefusal.Reason.mayNotRead
        case .end, .answer, .manage: return ListedRefusal.Reason.mayNot
        }
    }
}
