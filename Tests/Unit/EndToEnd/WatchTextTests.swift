import Base
import Notifications
import Testing

@testable import bellwire

@Suite("Lines of bellwire watch")
struct WatchTextTests {
    private func lines(_ update: String) throws -> String {
        let message = EngineMessage(try JSONDocument(Array(update.utf8)).root)
        return WatchText(hasColour: false).lines(try #require(message))
    }

    @Test("What only matters to programs is not shown, the rest in sentences")
    func sentences() throws {
        #expect(
            try lines(#"{"@type":"bellwire.updateFetchRequired","reason":"matrix"}"#)
                == "! there is something new that only the application can fetch\n")
        #expect(
            try lines(#"{"@type":"bellwire.updateFetchRequired","reason":"register_device"}"#)
                == "")
        #expect(
            try lines(#"{"@type":"bellwire.updateUnreadBadge","count":3}"#) == "! 3 unread\n")
        #expect(try lines(#"{"@type":"bellwire.updateSource","name":"x"}"#) == "")
    }

    @Test("A call says who calls")
    func call() throws {
        func added(_ title: String) -> String {
            """
            {"@type":"updateNotificationGroup","notification_group_id":1\(title),
            "added_notifications":[{"id":2,"type":{"@type":"notificationTypeNewCall","call_id":5}}]}
            """
        }
        #expect(try lines(added(#","bellwire.chat_title":"Ann""#)) == "+ 1/2  Ann is calling\n")
        #expect(try lines(added("")) == "+ 1/2  incoming call\n")
    }

    @Test("The title is said once")
    func title() throws {
        func added(_ title: String, _ body: String) -> String {
            """
            {"@type":"updateNotificationGroup","notification_group_id":1,
            "added_notifications":[{"id":2,"type":{"@type":"notificationTypeNewPushMessage",
            "sender_name":"Ann","bellwire.presentation":{"title":"\(title)","body":"\(body)"}}}]}
            """
        }
        #expect(try lines(added("Ann", "Ann: hello")) == "+ 1/2  Ann: hello\n")
        #expect(try lines(added("Family", "Ann @ Family: hello")) == "+ 1/2  Family: Ann: hello\n")
    }
}
