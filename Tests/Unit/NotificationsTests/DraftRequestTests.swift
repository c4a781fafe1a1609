import Base
import Testing

@testable import Notifications

@Suite("Drafts, as TDLib checks them")
struct DraftRequestTests {
    private func story() throws -> Story {
        var story = Story()
        for (id, type) in [(-1_000_000_000_099, "channel"), (-77, "basic_group"), (777, "private")]
        {
            try story.request(
                #"{"@type":"bellwire.setChat","chat_id":\#(id),"type":"\#(type)","title":"T"}"#)
        }
        story.updates = []
        return story
    }

    private static let text =
        #""draft_message":{"@type":"draftMessage","content":{"@type":"draftMessageContentText","text":{"@type":"formattedText","text":"words"}}}"#

    private static func content(_ members: String) -> String {
        #""draft_message":{"content":{"@type":"draftMessageContentText",\#(members)}}"#
    }

    @Test(
        "Refusals come in TDLib's order",
        arguments: [
            (#""draft_message":5"#, "Expected Object, but receive Number"),
            (#""topic_id":{"@type":"x"},"draft_message":5"#, #"Unknown class "x""#),
            (#""draft_message":{"date":"x"}"#, #"Can't parse as an integer string "x""#),
            (#""draft_message":{"content":{"@type":"x"}}"#, #"Unknown class "x""#),
            (
                Self.content(#""text":{"entities":[{"type":{"@type":"x"}}]}"#),
                #"Unknown class "x""#
            ),
        ])
    func shapes(members: String, mistake: String) throws {
        var story = try story()
        let outcome = try story.request(
            "{\"@type\":\"setChatDraftMessage\",\"chat_id\":1,\(members)}")
        #expect(outcome == .unreadable(mistake))
    }

    private static let channel = #""chat_id":-1000000000099"#
    private static let group = #""chat_id":-1000000000088"#
    private static let forum = #""topic_id":{"@type":"messageTopicForum","forum_topic_id":5}"#

    @Test(
        "Chat, right, topic and content are refused in TDLib's words",
        arguments: [
            (#""chat_id":0"#, "Invalid chat identifier specified"),
            (#""chat_id":5"#, "Chat not found"),
            ("\(channel),\(forum)", "Need administrator rights in the channel chat"),
            (#""chat_id":-77,\#(forum)"#, "Chat is not a forum"),
            ("\(group),\(forum)", "The chat is not a forum"),
            (
                #"\#(group),"topic_id":{"@type":"messageTopicForum"}"#,
                "Invalid topic identifier specified"
            ),
            (
                #""chat_id":1,"topic_id":{"@type":"messageTopicThread","message_thread_id":5242880}"#,
                "Chat doesn't have threads"
            ),
            (
                #"\#(group),"topic_id":{"@type":"messageTopicThread","message_thread_id":5}"#,
                "Invalid message thread identifier specified"
            ),
            (
                #"\#(group),"topic_id":{"@type":"messageTopicDirectMessages"}"#,
                "Chat is not an administered channel direct messages chat"
            ),
            (
                #""chat_id":1,"topic_id":{"@type":"messageTopicSavedMessages"}"#,
                "Chat is not the Saved Messages chat"
            ),
            (
                #""chat_id":777,"topic_id":{"@type":"messageTopicSavedMessages","saved_messages_topic_id":1}"#,
                "Messages can't be explicitly sent to a Saved Messages topic"
            ),
            (
                #""chat_id":777,"topic_id":{"@type":"messageTopicSavedMessages"}"#,
                "Topic not found"
            ),
            (
                #"\#(group),\#(forum),"draft_message":{"suggested_post_info":{"send_date":-1}}"#,
                "Invalid post send date specified"
            ),
            (
                #""chat_id":1,"draft_message":{"suggested_post_info":{"price":{"@type":"suggestedPostPriceStar","star_count":4}}}"#,
                "Invalid amount of Telegram Stars specified"
            ),
            (
                #""chat_id":1,"draft_message":{"suggested_post_info":{"price":{"@type":"suggestedPostPriceGram","gram_cent_count":1000001}}}"#,
                "Invalid amount of Gram cents specified"
            ),
            (
                #""chat_id":1,"draft_message":{"content":{"@type":"draftMessageContentVideoNote","self_destruct_type":{"@type":"messageSelfDestructTypeTimer"}}}"#,
                "Invalid message content self-destruct time specified"
            ),
            (
                #""chat_id":1,\#(content(#""text":{"text":"\ud800"}"#))"#,
                "Strings must be encoded in UTF-8"
            ),
            (
                #""chat_id":1,\#(content(#""link_preview_options":{"url":"\ud800"},"text":{}"#))"#,
                "Link preview URL must be encoded in UTF-8"
            ),
            (
                #""chat_id":1,\#(content(#""text":{"entities":[{"offset":-1,"type":{"@type":"textEntityTypeBold"}}]}"#))"#,
                "Receive an entity with incorrect offset -1"
            ),
            (
                #""chat_id":1,\#(content(#""text":{"entities":[{"type":{"@type":"textEntityTypeCustomEmoji"}}]}"#))"#,
                "Invalid custom emoji identifier specified"
            ),
        ])
    func refused(members: String, message: String) throws {
        var story = try story()
        let outcome = try story.request("{\"@type\":\"setChatDraftMessage\",\(members)}")
        #expect(outcome == .badRequest(message))
        #expect(story.updates.isEmpty)
    }

    @Test("Who may post in a channel may draft there")
    func mayPost() throws {
        var story = try story()
        try story.request(
            #"{"@type":"bellwire.setChat","chat_id":-1000000000099,"can_post_messages":true}"#)
        try story.restart()
        #expect(
            try story.request("{\"@type\":\"setChatDraftMessage\",\(Self.channel)}") == .ok)
    }

    @Test("Other clients are told of a draft and of its end")
    func told() throws {
        var story = try story()
        try story.request(#"{"@type":"setChatDraftMessage","chat_id":1,"draft_message":null}"#)
        #expect(story.updates.isEmpty, "there was none")
        try story.request("{\"@type\":\"setChatDraftMessage\",\"chat_id\":1,\(Self.text)}")
        let content =
            #"{"@type":"draftMessageContentText","text":{"@type":"formattedText","text":"words"}}"#
        #expect(
            story.updates == [
                .changed(
                    json:
                        #"{"@type":"updateChatDraftMessage","chat_id":1,"draft_message":{"@type":"draftMessage","date":1800000060,"content":\#(content)},"positions":[]}"#
                )
            ])
        story.updates = []
        try story.request("{\"@type\":\"setChatDraftMessage\",\"chat_id\":-77,\(Self.text)}")
        story.updates = []
        for _ in 0..<2 {
            #expect(
                try story.request(#"{"@type":"clearAllDraftMessages","exclude_secret_chats":true}"#)
                    == .ok)
        }
        #expect(
            story.updates
                == [-77, 1].map {
                    .changed(
                        json:
                            #"{"@type":"updateChatDraftMessage","chat_id":\#($0),"positions":[]}"#)
                })
    }
}
