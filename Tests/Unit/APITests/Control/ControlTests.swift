import Testing
import WebPush

@testable import API

@Suite("The control socket")
struct ControlTests {
    @Test(
        "A malformed body is refused",
        arguments: [
            "", "[]", "{}", #"{"name":1}"#, #"{"name":""}"#, #"{"name":"a","name":"b"}"#,
            #"{"name":"a","nmae":"b"}"#, #"{"name":"a","owner":""}"#, #"{"name":"a"} x"#,
            #"{"name":"a","receive_only":"yes"}"#, #"{"name":"a","owner":true}"#,
            #"{"name":"a","receive_only":true,"receive_only":true}"#,
            #"{"name":" a"}"#, #"{"name":"a\u001b"}"#, #"{"name":"a\u202e"}"#,
            #"{"name":"\#(String(repeating: "a", count: 65))"}"#,
        ])
    func badBodies(text: String) {
        #expect(throws: APIRefusal.self) { try DeviceRequest(body: Array(text.utf8)) }
    }

    @Test("A name may have any letters")
    func names() throws {
        let device = try DeviceRequest(body: Array(#"{"owner":"uid:7","name":"Büro 1"}"#.utf8))
        #expect(device.name == "Büro 1" && device.owner == "uid:7" && !device.isReceiveOnly)
        let phone = try DeviceRequest(body: Array(#"{"receive_only":true,"name":"a"}"#.utf8))
        #expect(phone.isReceiveOnly && phone.owner == nil)
    }

    @Test("Root and the service's user are administrators; others have their own rights")
    func callers() {
        func caller(_ user: UInt32?, _ isAllowed: Bool) -> ControlCaller? {
            ControlCaller(userID: user, ownUserID: 990, allowsLocalUsers: isAllowed)
        }
        for isAllowed in [true, false] {
            #expect(caller(0, isAllowed) == .administrator)
            #expect(caller(990, isAllowed) == .administrator)
            #expect(caller(nil, isAllowed) == nil)
        }
        #expect(caller(1000, false) == nil && caller(65_534, true) == nil)
        #expect(caller(1000, true) == .user(1000))
        #expect(ControlCaller.user(1000).mayUse("uid:1000"))
        #expect(!ControlCaller.user(1000).mayUse("uid:10001"))
        #expect(!ControlCaller.user(1000).mayUse("admin"))
    }
}
