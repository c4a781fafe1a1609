import Pictures
import TestSupport
import Testing

@testable import Desktop

@Suite("Pictures for the notification server")
struct PictureHintTests {
    @Test(
        "The hint has the name of the server's version",
        arguments: [
            ("1.2", "image-data"), ("1.3", "image-data"), ("1.1", "image_data"),
            ("1.0", "icon_data"),
        ])
    func names(spec: String, hint: String) throws {
        let vector = try #require(try Vectors.lines(of: "jpeg.jsonl").first)
        try expectPicture("data:image/jpeg;base64,\(vector["file"]?.text ?? "")", in: hint, spec)
    }

    @Test("A transparent picture is sent with its transparency")
    func transparency() throws {
        let vector = try #require(
            try Vectors.lines(of: "png.jsonl").first {
                $0["name"]?.text == "colours and transparency"
            })
        try expectPicture("data:image/png;base64,\(vector["file"]?.text ?? "")", in: "image-data")
    }

    private func expectPicture(_ link: String, in hint: String, _ spec: String = "1.2") throws {
        var screen = Screen()
        screen.serverAppears(spec: spec)
        try screen.group(added: [Screen.push(1, more: #","icon":"\#(link)""#)])
        let picture = try #require(Picture(link: link))
        #expect(screen.calls[0][hint: hint] == .picture(picture))
    }
}
