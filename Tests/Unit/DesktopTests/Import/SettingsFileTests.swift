import Testing

@testable import Desktop

@Suite("Files of settings that Qt's programs keep")
struct SettingsFileTests {
    private func file(_ text: String) -> SettingsFile { SettingsFile(Array(text.utf8)) }

    @Test("Groups, keys without a group, comments and lines of other systems")
    func groups() {
        let file = file(
            "[General]\r\na=1\n; no\n# no\nnothing\n [b] \n c = 2 \n[%General]\nd=3\n[]\ne=4")
        #expect(file.text("a") == "1" && file.text("b/c") == "2")
        #expect(file.text("General/d") == "3" && file.text("/e") == "4")
        #expect(file.text("nothing") == nil && file.text("b/a") == nil)
    }

    @Test("Names are escaped by percent signs, and a slash in a key by a backslash")
    func names() {
        let file = file("[%7Bab-c%7D]\nRemote%20Id=x\nd\\e=y\n%U20AC=z\n50%=w\n%zz=v")
        #expect(file.text("{ab-c}/Remote Id") == "x" && file.text("{ab-c}/d/e") == "y")
        #expect(file.text("{ab-c}/€") == "z")
        #expect(file.text("{ab-c}/50%") == "w" && file.text("{ab-c}/%zz") == "v")
    }

    @Test(
        "Each form of a value",
        arguments: [
            ("plain", ["plain"]), (" a b ", ["a b"]), ("\" a \"", [" a "]), ("", [""]),
            ("a, b,c", ["a", "b", "c"]), ("\"a, b\", c", ["a, b", "c"]), ("a;b", ["a"]),
            ("\"a;b\"", ["a;b"]), (#"a\nb\\c\"d"#, ["a\nb\\c\"d"]), (#"\xe9t\xe9"#, ["été"]),
            (#"\xd83d\xde00!"#, ["😀!"]), (#"\x41\102"#, ["AB"]), ("Müller 😀", ["Müller 😀"]),
            ("@@home", ["@home"]), ("a\\", ["a"]), (#"\ x"#, [" x"]),
        ])
    func values(written: String, meant: [String]) {
        let file = file("k=" + written)
        #expect(file.text("k") == meant.joined(separator: ", "))
        #expect(file.list("k") == (meant == [""] ? [] : meant))
    }

    @Test("Values of other types are left out; an invalid one is an empty list")
    func types() {
        let file = file("a=@ByteArray(x)\nb=@Invalid()\nc=@Variant(\\0)")
        #expect(file.text("a") == nil && file.text("c") == nil)
        #expect(file.list("b").isEmpty && file.list("none").isEmpty)
    }

    @Test("A file cut anywhere, and bytes of any kind, are read without harm")
    func cut() {
        let text = """
            [Clients]\nTokens=a, "b\\xe9"\n
            [%7Ba%U20AC%7D]\nService\\Name="x\\n" ; y\nz=ü😀\n
            """
        let whole = Array(text.utf8)
        for length in whole.indices { _ = SettingsFile(Array(whole[..<length])) }
        for byte in UInt8.min ... .max {
            for place in whole.indices {
                var bytes = whole
                bytes[place] = byte
                _ = SettingsFile(bytes)
            }
        }
        #expect(SettingsFile(whole).list("Clients/Tokens") == ["a", "bé"])
        #expect(SettingsFile([]).isEmpty)
    }
}
