import Base
import Notifications
import Testing
@testable import Mailbox

@Suite("The terms of a registration")
struct RegistrationTermsTests {
    private func terms(_ rest: String = "", type: Int = 10, app: String = "telegram") throws
        -> RegistrationTerms
    {
        try terms(json: #"{"token_type":\#(type),"app":"\#(app)","account":"a"\#(rest)}"#)
    }

    private func terms(json: String) throws -> RegistrationTerms {
        try RegistrationTerms(try JSONDocument(Array(json.utf8)).root)
    }

    @Test("Type, application and account are enough")
    func least() throws {
        let terms = try terms()
        #expect(terms.tokenType == .webPush && terms.dialect == .telegram)
        #expect(!terms.acceptsClear && terms.notifyMode == .all && !terms.isSigned)
        #expect(terms.sessionTimeout == 86_400 && terms.lifetime == 2_592_000)
    }

    @Test(
        "The dialect follows from the application, and the rest from the dialect",
        arguments: [
            ("telegram", Dialect.telegram, false, "applePushNotification"),
            ("somebody", .telegram, false, "applePushNotification"),
            ("Element X (Matrix)", .matrix, true, "applePushNotification"),
            ("icq", .icq, true, "disabled"), ("zego-call", .zpns, true, "applePushNotification"),
            ("plain", .plain, true, "applePushNotification"),
            ("script", .plain, true, "applePushNotification"),
            ("typescript", .telegram, false, "applePushNotification"),
            ("declarative", .declarative, false, "applePushNotification"),
        ])
    func dialects(app: String, dialect: Dialect, isClear: Bool, mode: String) throws {
        let terms = try terms(app: app)
        #expect(terms.dialect == dialect && terms.acceptsClear == isClear)
        #expect(terms.notifyMode.rawValue == mode)
        let said = try self.terms(#","dialect":"auto","clear":false"#, app: app)
        #expect(said.dialect == .auto && !said.acceptsClear)
    }

    @Test("User ids are numbers or text")
    func userIDs() throws {
        let terms = try terms(#","user_id":"123456789012","other_user_ids":[5,"6"]"#)
        #expect(terms.userID == 123_456_789_012 && terms.otherUserIDs == [5, 6])
    }

    @Test(
        "Unknown, missing, duplicate or wrongly typed members are refused",
        arguments: [
            "[]", "{}", #"{"token_type":10,"app":"a"}"#, #"{"token_type":10,"account":"a"}"#,
            #"{"app":"a","account":"a"}"#, #"{"token_type":9,"app":"a","account":"a"}"#,
            #"{"token_type":"10","app":"a","account":"a"}"#,
            #"{"token_type":10.5,"app":"a","account":"a"}"#,
            #"{"token_type":10,"app":1,"account":"a"}"#,
            #"{"token_type":10,"app":"","account":"a"}"#,
            #"{"token_type":10,"app":"a\u001b","account":"a"}"#,
            #"{"token_type":10,"app":"a","app":"b","account":"a"}"#,
        ])
    func refusedObjects(json: String) {
        #expect(throws: RegistrationTerms.Fault.self) { try terms(json: json) }
    }

    @Test(
        "Each member has its format",
        arguments: [
            #""nonsense":1"#, #""user_id":0"#, #""user_id":-5"#, #""user_id":"05""#,
            #""user_id":true"#, #""user_id":1.5"#, #""other_user_ids":5"#,
            #""other_user_ids":[0]"#, #""other_user_ids":["x"]"#, #""callback":5"#,
            #""callback":"ftp://x""#, #""callback":"""#, #""vapid":"true""#, #""vapid":1"#,
            #""dialect":"french""#, #""dialect":5"#, #""clear":0"#, #""notify_mode":"all""#,
            #""session_timeout":"60""#, #""session_timeout":0"#, #""session_timeout":-1"#,
            #""presentation":"x""#, #""presentation":{"sound":1}"#,
            #""presentation":{"loc_args":[1]}"#, #""presentation":{"colour":"red"}"#,
            #""presentation":{"replies":1}"#, #""presentation":{"link_schemes":"tg"}"#,
            #""presentation":{"link_schemes":["-x"]}"#, #""presentation":{"link_schemes":["a b"]}"#,
            #""service":"x""#, #""service":"org..x""#, #""service":"org.1x""#, #""service":5"#,
            #""app_id":"""#, #""ttl":-1"#, #""ttl":2592001"#, #""ttl":"5""#, #""expires":59"#,
            #""expires":null"#,
        ])
    func refusedMembers(member: String) {
        #expect(throws: RegistrationTerms.Fault.self) { try terms("," + member) }
    }

    @Test("trust_clear needs clear, and is true or false")
    func trust() throws {
        let terms = try terms(#","clear":true,"trust_clear":true"#)
        #expect(terms.trustsClear && terms.acceptsClear)
        var writer = JSONWriter()
        terms.write(to: &writer)
        #expect(try self.terms(json: writer.text) == terms)
        for wrong in [#","trust_clear":true"#, #","clear":true,"trust_clear":1"#] {
            #expect(throws: RegistrationTerms.Fault.self) { try self.terms(wrong) }
        }
    }

    @Test(
        "New requests may not contain values that older records may",
        arguments: [
            #""presentation":{"link_schemes":["file"]}"#,
            #""presentation":{"link_schemes":["tg","javascript"]}"#,
            #""presentation":{"link_schemes":["data"]}"#,
            #""presentation":{"link_schemes":["vbscript"]}"#,
            #""presentation":{"sound":"\#(String(repeating: "x", count: 4_096))"}"#,
            #""user_id":9223372036854775807"#, #""other_user_ids":[5,1099511627776]"#,
        ])
    func former(member: String) throws {
        let terms = try terms("," + member)
        #expect(throws: RegistrationTerms.Fault.self) { try terms.expectNew() }
        let consent = terms.looks.map { SourceConsent($0) }
        #expect(consent?.linkSchemes.isSubset(of: ["tg"]) != false)
    }

    @Test("A presentation has at most 4,096 bytes")
    func largest() throws {
        let frame = #"{"sound":""}"#
        let text = String(repeating: "x", count: 4_096 - frame.utf8.count)
        try terms(#","presentation":{"sound":"\#(text)"}"#).expectNew()
    }

    @Test("vapid is only for token type 10")
    func vapid() throws {
        #expect(try terms(#","vapid":true"#).isSigned)
        #expect(throws: RegistrationTerms.Fault.self) { try terms(#","vapid":true"#, type: 4) }
        #expect(try !terms(#","vapid":false"#, type: 4).isSigned)
    }

    @Test("Written terms read back the same")
    func roundTrip() throws {
        let presentation = """
            {"sound":"ding","loc_args":["srcName"],"badge":true,"replies":true,\
            "link_schemes":["matrix","web+x"]}
            """
        let rest = """
            ,"user_id":7,"other_user_ids":[8],"callback":"https://x.example/y?z=1","vapid":true,\
            "dialect":"plain","clear":false,"notify_mode":"sendOnlyOne","session_timeout":5,\
            "presentation":\(presentation),"service":"org.example.App","app_id":"x","ttl":0,\
            "expires":60
            """
        let terms = try terms(rest)
        #expect(terms.presentation == presentation && terms.ttlLimit == 0)
        var writer = JSONWriter()
        terms.write(to: &writer)
        #expect(try self.terms(json: writer.text) == terms)
    }
}
