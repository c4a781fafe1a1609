import Base
import Testing
@testable import PushService

@Suite("Where callbacks may go")
struct DialGuardTests {
    private func refusal(
        _ address: String, port: UInt16 = 443, _ rights: CallbackRights = .anyone,
        isEncrypted: Bool = true, isMapped: Bool = false, _ dialGuard: DialGuard = DialGuard()
    ) throws -> DialRefusal? {
        dialGuard.refusal(
            of: try #require(IPAddress(address)), isMapped: isMapped, port: port, for: rights,
            isEncrypted: isEncrypted, isOurs: { $0 == IPAddress("10.0.0.1") })
    }

    @Test(
        "Addresses of the internet are called",
        arguments: [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0",
            "192.0.1.255", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2600::1",
            "2a00:1450::1", "2003::1", "2001:200::1",
        ])
    func internet(address: String) throws {
        #expect(try refusal(address) == nil)
    }

    @Test(
        "Other addresses are not called",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
            "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
            "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "100::1",
            "64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2001::1", "2001:2::1", "2001:10::1",
            "2001:db8::1", "2002:7f00:1::1", "2002:a00:1::", "3fff::1", "5f00::1", "fc00::1",
            "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        ])
    func elsewhere(address: String) throws {
        #expect(try refusal(address) == .notInternet)
    }

    @Test("An IPv4 address inside an IPv6 address is always refused")
    func mapped() throws {
        #expect(try refusal("::ffff:8.8.8.8", isMapped: true) == .wrapped)
        #expect(try refusal("::ffff:127.0.0.1", .localUser(7), isMapped: true) == .wrapped)
    }

    @Test(
        "A local user reaches this machine and private networks as well as the internet")
    func localUser() throws {
        for address in ["127.0.0.1", "::1", "10.1.2.3", "192.168.1.1", "fd00::1", "8.8.8.8"] {
            #expect(try refusal(address, .localUser(1_000)) == nil)
        }
        for address in ["169.254.169.254", "0.0.0.0", "224.0.0.1", "64:ff9b::7f00:1", "fe80::1"] {
            #expect(try refusal(address, .localUser(1_000)) == .notInternet)
        }
    }

    @Test("The administrator's allowances apply to everyone")
    func allowed() throws {
        var dialGuard = DialGuard()
        dialGuard.allowed = [try #require(AddressBlock("10.1.0.0/16"))]
        #expect(try refusal("10.1.2.3", .anyone, dialGuard) == nil)
        #expect(try refusal("10.2.0.1", .anyone, dialGuard) == .notInternet)
    }

    @Test("Without TLS only programs on this machine are called")
    func clear() throws {
        #expect(try refusal("127.0.0.1", port: 8_080, .localUser(0), isEncrypted: false) == nil)
        #expect(try refusal("10.1.2.3", port: 8_080, .localUser(0), isEncrypted: false) == .clear)
        #expect(try refusal("8.8.8.8", port: 80, isEncrypted: false) == .clear)
    }

    @Test("Ports of other protocols are refused", arguments: [1, 22, 25, 53, 79, 442, 465, 1_023])
    func ports(port: UInt16) throws {
        #expect(try refusal("8.8.8.8", port: port) == .port)
    }

    @Test("443, 80 and ports from 1024 on are called", arguments: [80, 443, 1_024, 65_535])
    func usualPorts(port: UInt16) throws {
        #expect(try refusal("8.8.8.8", port: port) == nil)
    }

    @Test("The service never calls itself under any of its addresses")
    func ownListeners() throws {
        var dialGuard = DialGuard()
        dialGuard.listeners = [
            (try #require(IPAddress("127.0.0.1")), 8_443), (try #require(IPAddress("::")), 443),
        ]
        let user = CallbackRights.localUser(0)
        #expect(try refusal("127.0.0.1", port: 8_443, user, dialGuard) == .ownListener)
        #expect(try refusal("127.0.0.1", port: 8_444, user, dialGuard) == nil)
        // A wildcard stands only for the addresses that this machine has.
        #expect(try refusal("10.0.0.1", port: 443, user, dialGuard) == .ownListener)
        #expect(try refusal("10.0.0.2", port: 443, user, dialGuard) == nil)
    }

    private func refusal(
        _ address: String, port: UInt16 = 443, _ rights: CallbackRights = .anyone,
        _ dialGuard: DialGuard
    ) throws -> DialRefusal? {
        try refusal(address, port: port, rights, isEncrypted: true, isMapped: false, dialGuard)
    }
}

@Suite("URLs of callbacks")
struct CallbackTargetTests {
    @Test(
        "A valid URL is normalised to the form that is dialled",
        arguments: [
            ("https://example.org/hook?x=1", "https://example.org/hook?x=1", "example.org", 443),
            ("HTTPS://Example.ORG", "https://example.org/", "example.org", 443),
            ("https://example.org:8443/a#b", "https://example.org:8443/a", "example.org", 8_443),
            ("https://2130706433/", "https://127.0.0.1/", "127.0.0.1", 443),
            ("https://0177.0.0.1/", "https://127.0.0.1/", "127.0.0.1", 443),
            ("https://0x7f.1/", "https://127.0.0.1/", "127.0.0.1", 443),
            ("https://[::1]:9000/", "https://[::1]:9000/", "[::1]", 9_000),
            ("http://127.0.0.1:3000/", "http://127.0.0.1:3000/", "127.0.0.1", 3_000),
        ])
    func read(text: String, url: String, host: String, port: UInt16) throws {
        let target = try CallbackTarget(text)
        #expect(target.url == url)
        #expect(target.host == host)
        #expect(target.port == port)
        #expect(target.way == (text.lowercased().hasPrefix("https") ? .encrypted : .clear))
    }

    @Test(
        "Everything else is refused",
        arguments: [
            ("ftp://example.org/", CallbackTarget.Refusal.scheme), ("file:///etc/passwd", .scheme),
            ("gopher://example.org/", .scheme), ("example.org", .notAURL),
            ("https://user@example.org/", .userInfo), ("https://u:p@example.org/", .userInfo),
            ("https://:p@example.org/", .userInfo), ("https://example.org:22/", .port),
            ("https://example.org:1023/", .port), ("https://example.org:0/", .port),
            ("https://example.org:99999/", .notAURL), ("", .notAURL),
            ("https://exa mple.org/", .notAURL), ("https://example.org/\n", .notAURL),
            ("https://exämple.org/", .notAURL), ("unix:relative", .notAURL), ("unix:/", .notAURL),
            ("unix:/" + String(repeating: "x", count: 107), .tooLong),
            ("https://example.org/" + String(repeating: "x", count: 2_000), .tooLong),
        ])
    func refused(text: String, refusal: CallbackTarget.Refusal) {
        #expect(throws: refusal) { try CallbackTarget(text) }
    }

    @Test("A socket is identified by its path")
    func unix() throws {
        let target = try CallbackTarget("unix:/run/user/1000/hook")
        #expect(target.way == .unix(path: "/run/user/1000/hook"))
    }
}

@Suite("Callbacks that are refused before they are dialled")
struct CallbackObjectionTests {
    private var settings = CallbackSettings(userAgent: "test")

    private func objection(
        _ url: String, _ rights: CallbackRights = .anyone
    ) -> CallbackSettings.Objection? {
        do throws(CallbackSettings.Objection) {
            _ = try settings.target(url, for: rights)
            return nil
        } catch { return error }
    }

    @Test(
        "Addresses outside the internet are refused in every notation",
        arguments: [
            "https://127.0.0.1/", "https://2130706433/", "https://0177.0.0.1/",
            "https://0x7f000001/",
            "https://127.1/", "https://[::1]/", "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://169.254.169.254/", "https://0/",
        ])
    func literals(url: String) {
        #expect(objection(url) == .address(.notInternet))
    }

    @Test("A mapped address is refused, even for a local user")
    func mapped() {
        #expect(objection("https://[::ffff:127.0.0.1]/", .localUser(5)) == .address(.wrapped))
        #expect(objection("https://[::ffff:8.8.8.8]/") == .address(.wrapped))
    }

    @Test("Names are judged when they are dialled")
    func names() {
        #expect(objection("https://localhost/") == nil)
        #expect(objection("http://localhost/") == .target(.scheme))
        #expect(objection("http://localhost/", .localUser(5)) == nil)
    }

    @Test("A local user may name a socket in their own folder or an allowed one")
    func sockets() {
        var tests = self
        tests.settings.unixFolder = "/run/hooks"
        tests.settings.allowedSockets = ["/run/special.sock"]
        #expect(tests.objection("unix:/run/user/5/a", .localUser(5)) == nil)
        #expect(tests.objection("unix:/run/hooks/a", .localUser(5)) == nil)
        #expect(tests.objection("unix:/run/special.sock") == nil)
        #expect(tests.objection("unix:/run/user/5/a") == .unixSocket)
        #expect(tests.objection("unix:/run/hooks/a") == .unixSocket)
    }

    @Test("The address of the service itself is refused, and only that")
    func ourselves() {
        var tests = self
        tests.settings.ownURLs = ["https://example.org/push"]
        #expect(tests.objection("https://example.org/push") == .address(.ownListener))
        #expect(tests.objection("https://EXAMPLE.org:443/push/x") == .address(.ownListener))
        #expect(tests.objection("https://example.org/pushover") == nil)
        #expect(tests.objection("https://example.org/hook") == nil)
    }
}

extension DialGuardTests {
    @Test("What an owner allowed by name is reached inside, also unencrypted, and nothing else is")
    func inside() throws {
        func refusal(_ address: String, _ reachesInside: Bool, _ isEncrypted: Bool) throws
            -> DialRefusal?
        {
            var dialGuard = DialGuard()
            dialGuard.sendsClearInside = true
            return dialGuard.refusal(
                of: try #require(IPAddress(address)), port: 8_080, reachesInside: reachesInside,
                isEncrypted: isEncrypted, isOurs: { _ in false })
        }
        for address in ["192.168.1.5", "10.0.0.7", "127.0.0.1", "::1", "fd00::1"] {
            #expect(try refusal(address, true, false) == nil && refusal(address, true, true) == nil)
            #expect(try refusal(address, false, true) == .notInternet)
        }
        for address in ["169.254.169.254", "fe80::1", "0.0.0.0", "100.64.0.1", "224.0.0.1"] {
            #expect(try refusal(address, true, true) == .notInternet)
        }
        #expect(try refusal("8.8.8.8", true, false) == .clear)
        #expect(try refusal("8.8.8.8", false, true) == nil)
    }
}
