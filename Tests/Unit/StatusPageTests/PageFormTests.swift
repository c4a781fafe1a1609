import Testing

@testable import StatusPage

@Suite("Forms of the status page")
struct PageFormTests {
    @Test(
        "A body that no browser makes is no form",
        arguments: ["a", "a=%", "a=%4", "a=%zz", "a=1&a=2", "a=%ff", "%ff=a"])
    func broken(text: String) { #expect(PageForm(Array(text.utf8)) == nil) }

    @Test("Values are decoded")
    func decodes() throws {
        let form = try #require(PageForm(Array("name=B%C3%BCro+1%26&csrf=&e=".utf8)))
        #expect(form["name"] == "Büro 1&" && form["e"] == "" && form["x"] == nil)
        #expect(PageForm([])?["a"] == nil)
    }

    @Test("Only the token of the session proves a form")
    func proves() throws {
        let form = try #require(PageForm(Array("csrf=abc".utf8)))
        #expect(form.proves("abc"))
        for other in ["", "ab", "abx", "abcd", "ABC"] { #expect(!form.proves(other)) }
        #expect(try #require(PageForm([])).proves("x") == false)
    }
}
