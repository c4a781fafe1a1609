import Testing

@testable import HTTP

@Suite("Request targets")
struct HTTP1TargetTests {
    private func head(_ line: String, host: String = "h") -> Transcript.Head? {
        Transcript("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n").heads.first
    }

    @Test(
        "The absolute form sets the authority, whatever Host says",
        arguments: [
            ("http://a.example/x?y", "a.example", "/x", "y"),
            ("HTTPS://a.example:8443/", "a.example:8443", "/", nil),
            ("http://a.example", "a.example", "/", nil),
            ("http://a.example?y", "a.example", "/", "y"),
            ("http://[::1]:80/x", "[::1]:80", "/x", nil),
        ] as [(String, String, String, String?)])
    func absolute(_ target: String, _ authority: String, _ path: String, _ query: String?) {
        let head = head("GET " + target, host: "other.example")
        #expect(head?.authority == authority)
        #expect(head?.path == path)
        #expect(head?.query == query)
    }

    @Test(
        "A target in an unknown form is refused",
        arguments: [
            "GET a", "GET *", "GET **", "GET http:", "GET http://", "GET http:///x", "GET ftp://a/",
            "GET http://u@a/", "GET http://a:b/", "GET http://a b/", "GET a:80", "GET ?x",
            "OPTIONS a", "OPTIONS **", "CONNECT /", "CONNECT a", "CONNECT a:", "CONNECT a:x",
            "CONNECT http://a/",
        ])
    func unknownForm(_ line: String) {
        let input = line + " HTTP/1.1\r\nHost: h\r\n\r\n"
        let refusal = Transcript(input).refusal
        #expect(refusal == .badTarget || refusal == .badRequestLine)
        #expect(refusal?.status == 400)
    }

    @Test("OPTIONS may ask about the whole server")
    func asterisk() {
        #expect(head("OPTIONS *")?.path == "*")
    }

    @Test("A path may start with two slashes and contain characters that URLs should escape")
    func oddPath() {
        #expect(head("GET //a|b[]^%zz?{}")?.path == "//a|b[]^%zz")
    }

    @Test("A tunnel is refused because its bytes could look like requests")
    func tunnel() {
        let refusal = Transcript("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n").refusal
        #expect(refusal == .tunnel)
        #expect(refusal?.status == 501)
    }

    @Test("The absolute form does not replace a missing Host")
    func absoluteWithoutHost() {
        #expect(Transcript("GET http://a/ HTTP/1.1\r\n\r\n").refusal == .missingHost)
    }
}
