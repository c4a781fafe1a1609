import Base
import Foundation
import StatusPage
import Testing
import WebPush

@Suite("Pages with one purpose")
struct SmallPagesTests {
    private func text(_ html: [UInt8]) -> String { String(decoding: html, as: UTF8.self) }

    @Test("The page to sign in says so when a code was refused")
    func signIn() {
        let frame = PageFrame(language: .english)
        let pages = [nil, SignInPage.Refusal.code, .passkey].map {
            SignInPage(frame, takesKeys: true, refusal: $0).html
        }
        #expect(pages.map { text($0).contains("role=\"alert\"") } == [false, true, true])
        #expect(!text(SignInPage(frame, takesKeys: false).html).contains("passkey"))
        for page in pages {
            // Nobody has a session yet, so there is nothing to prove and nothing to sign out of.
            #expect(text(page).contains("action=\"/ui/login\""))
            #expect(!text(page).contains("csrf") && !text(page).contains("/ui/logout"))
        }
    }

    private static let reasons: [FailurePage.Reason] = [
        .name, .limit, .gone, .later, .form, .place, .foreign, .search,
        .answer, .openQuestion, .stale, .passkey, .keyName,
    ]

    @Test("Each failure is explained differently, in each language")
    func failures() {
        for language in Language.allCases {
            let pages = Self.reasons.map { text(FailurePage(.init(language: language), $0).html) }
            #expect(Set(pages).count == pages.count)
            for page in pages {
                #expect(page.contains("role=\"alert\"") && page.contains("href=\"/ui/status\""))
            }
        }
    }

    @Test(
        "A new device gets its addresses once; one that only receives has a picture for phones",
        arguments: [true, false])
    func device(isReceiveOnly: Bool) {
        let frame = PageFrame(language: .english, formToken: "TOKEN")
        let page = text(
            DevicePage(
                frame,
                MadeDevice {
                    $0.name = "<phone>"
                    $0.bearer = "BEARER"
                    $0.websocket = "wss://push.example/u/SECRET"
                    $0.url = "https://push.example/u/SECRET"
                    $0.isReceiveOnly = isReceiveOnly
                }
            ).html)
        #expect(page.contains("&lt;phone&gt;") && !page.contains("<phone>"))
        func count(_ text: String) -> Int { page.components(separatedBy: text).count - 1 }
        #expect(count("<code>wss://push.example/u/SECRET</code>") == 1)
        #expect(count("<code>https://push.example/u/SECRET</code>") == (isReceiveOnly ? 2 : 0))
        #expect(count("<code>BEARER</code>") == (isReceiveOnly ? 0 : 1))
        // What opens everything does not go into the settings of a browser or a phone.
        #expect(page.contains("dom.push.serverURL") == isReceiveOnly)
        #expect(page.contains("<svg class=\"code\"") == isReceiveOnly)
        #expect(page.contains("action=\"/ui/logout\"") && page.contains("value=\"TOKEN\""))
    }

    @Test("An address that no picture has room for is shown as text alone")
    func longAddress() {
        let url = "https://push.example/" + String(repeating: "a", count: 4_000)
        let page = text(
            DevicePage(
                .init(language: .german),
                MadeDevice {
                    $0.url = url
                    $0.isReceiveOnly = true
                }
            ).html)
        #expect(page.contains(url) && !page.contains("<svg"))
    }

    @Test(
        "The files of the page are what their types say, and load nothing",
        arguments: PageFile.allCases)
    func files(file: PageFile) {
        #expect(file.rawValue.hasPrefix("/ui/") && !file.text.isEmpty)
        let isPicture = "\(file.type)" == "image/svg+xml"
        #expect(file.text.hasPrefix("<svg ") == isPicture)
        #expect("\(file.type)".hasPrefix("text/") != isPicture)
        // The name of a namespace is no address.
        let text = file.text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
        #expect(!text.contains("http:") && !text.contains("https:") && !text.contains("@import"))
    }
}
