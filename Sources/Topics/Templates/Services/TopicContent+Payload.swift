import Base
package import Notifications

extension TopicContent {
    /// What a payload says that came to the address of a topic, in the dialect of its senders; nil
    /// if it says nothing.
    package init?(payload: [UInt8], _ dialect: Dialect) {
        let reader = dialect.reader(of: payload)
        if let service = KnownService(reader), let root = JSONNode(json: payload),
            root.kind == .object, let content = service.content(of: root, payload, event: "")
        {
            self = content
            return
        }
        self.init(reader.events(payload, DialectContext()))
        // A notification of the lowest priority looks like one of the next.
        if priority == 2, let said = PlainDialect.priority(of: payload) { priority = UInt8(said) }
    }
}
