import Testing

@testable import Notifications

@Suite("Variations: payloads")
struct PayloadVariationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let payload: String
        let outcome: Outcome

        init(_ payload: String, _ code: Int, _ message: String) {
            self.payload = payload
            outcome = code == 200 ? .ok : .error(code: code, message: message)
        }

        var testDescription: String { payload }
    }

    @Test("Errors in a payload have TDLib's texts", arguments: rows)
    func refused(row: Row) {
        var story = Story(.strict)
        story.engine.account.chats[.channel(99)] = Chat(.channel(99), title: "Chan99")
        #expect(story.push(row.payload) == row.outcome)
        #expect(story.sent() == [])
    }

    private static func message(_ key: String, _ arguments: String, _ custom: String) -> String {
        #"{"loc_key":"\#(key)","loc_args":[\#(arguments)],"custom":{\#(custom)}}"#
    }

    private static let chat = #""from_id":1,"msg_id":5"#
    private static let group = #""channel_id":88,"chat_from_id":1,"msg_id":5"#

    private static let rows: [Row] = [
        Row(" {}", 400, #"Can't find field "loc_key""#),
        Row("{} x", 400, "Failed to parse payload as JSON object"),
        Row(#"{"loc_key":{}}"#, 400, #"Field "loc_key" must be of type String"#),
        Row(#"{"data":[]}"#, 400, #"Field "data" must be of type Object"#),
        Row(#"{"date":"x","data":{"loc_key":"A"}}"#, 400, #"Field "date" must be a valid Number"#),
        Row(#"{"user_id":-1,"loc_key":"A"}"#, 400, "Receive wrong user_id -1"),
        Row(
            #"{"loc_key":"A","google.sent_time":{}}"#, 400,
            #"Field "google.sent_time" must be a Number"#),
        Row(
            #"{"loc_key":"A","loc_args":[1],"custom":1}"#, 400, "Expected loc_arg as a String"),
        Row(message("MESSAGE_TEXT", "", #""from_id":0"#), 400, "Receive invalid user identifier"),
        Row(
            message("MESSAGE_TEXT", "", #""chat_id":-7"#), 400,
            "Receive invalid basic group identifier"),
        Row(
            message("MESSAGE_TEXT", "", #""channel_id":1000000000000"#), 400,
            "Receive invalid supergroup identifier"),
        Row(
            message("MESSAGE_TEXT", "", #""encryption_id":0"#), 400,
            "Receive invalid secret chat identifier"),
        Row(
            message("CHAT_MESSAGE_TEXT", "", #""channel_id":88,"chat_from_id":0,"msg_id":5"#), 400,
            "Receive invalid chat_from_id"),
        Row(
            message(
                "CHAT_MESSAGE_TEXT", "", #""channel_id":88,"chat_from_group_id":-1,"msg_id":5"#),
            400, "Receive invalid chat_from_group_id"),
        Row(
            message("CHAT_MESSAGE_TEXT", "", group), 400,
            "Expect sender name as the first argument"),
        Row(
            message("CHAT_MESSAGE_TEXT", #""U""#, group), 400,
            "Expected chat name as the next argument"),
        Row(
            message("PINNED_TEXT", #""U""#, group), 400,
            "Expected chat title as the last argument"),
        Row(
            message("MESSAGE_GAME_SCORE", #""U","Tetris""#, chat), 400,
            "Expected 2 arguments for MESSAGE_GAME_SCORE"),
        Row(
            message("MESSAGE_GIVEAWAY", #""U","5""#, chat), 400,
            "Expected 2 arguments for MESSAGE_GIVEAWAY"),
        Row(
            message("MESSAGE_GIVEAWAY", #""U","5","0""#, chat), 400,
            "Expected month count to be non-negative"),
        Row(
            message("MESSAGE_GIVEAWAY_STARS", #""U","5""#, chat), 400,
            "Expected 2 arguments for MESSAGE_GIVEAWAY_STARS"),
        Row(
            message("MESSAGE_PAID_MEDIA", #""U""#, chat), 400,
            "Expected 1 argument for MESSAGE_PAID_MEDIA"),
        Row(message("MESSAGE_TEXT", #""U","a","b""#, chat), 400, "Receive too many arguments"),
        Row(message("MESSAGE_NEW", #""U""#, chat), 400, "Push type is unknown"),
        Row(message("MESSAGE_NEW", #""U""#, #""from_id":1"#), 400, "Receive no message identifier"),
        Row(message("CHAT_NEW", #""U","G""#, chat), 400, "Receive wrong chat type"),
        Row(message("ENCRYPTION_REQUEST", "", chat), 400, "Receive wrong chat type"),
        Row(
            message("ENCRYPTION_REQUEST", "", #""encryption_id":5,"msg_id":1"#), 400,
            "Receive message identifier in a secret chat push notification"),
        Row(
            message("ENCRYPTION_REQUEST", "", #""encryption_id":5"#), 406,
            "New secret chat notification is not supported"),
        Row(
            message("PHONE_CALL_REQUEST", #""U""#, #""from_id":1"#), 406,
            "Phone call notification is not supported"),
        Row(
            message("CHAT_REACT_TEXT", #""U","G","👍","t""#, group), 406,
            "Reaction notifications are unsupported"),
        Row(message("LOCKED_MESSAGE", "", ""), 200, ""),
        Row(message("AUTH_REGION", #""P","L""#, ""), 200, ""),
        Row(message("SESSION_REVOKE", "", ""), 200, ""),
        Row(message("GEO_LIVE_PENDING", "", ""), 200, ""),
        Row(
            message("MESSAGE_ANNOUNCEMENT", "", ""), 400, "Receive empty announcement message text"),
        Row(#"{"loc_key":"MESSAGE_ANNOUNCEMENT","message":"m"}"#, 200, ""),
        Row(
            message("DC_UPDATE", "", #""dc":0,"addr":"1.2.3.4:5""#), 400,
            "Invalid datacenter identifier"),
        Row(
            message("DC_UPDATE", "", #""dc":2,"addr":"1.2.3.4""#), 0,
            "Can't split string into host and port"),
        Row(message("OAUTH_REQUEST", "", #""data_url":"u""#), 200, ""),
        Row(message("READ_STORIES", "", #""from_id":1,"max_id":5"#), 200, ""),
        Row(
            message("MESSAGE_TEXT", #""U","t""#, chat + #","random_id":5"#), 400,
            "Receive wrong chat type"),
        Row(
            message("MESSAGE_TEXT", #""U","t""#, chat + #","attachb64":"A""#), 400,
            "Wrong string length"),
        Row(
            message("MESSAGE_TEXT", #""U","t""#, chat + #","attachb64":5.5"#), 400,
            "Wrong character in the string"),
    ]
}
