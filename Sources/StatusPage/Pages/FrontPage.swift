package import Base

/// What a browser shows that opens the server's name.
package struct FrontPage: Sendable {
    /// Where the status page is, from there.
    package enum StatusPlace: Equatable, Sendable {
        case here, nowhere
        case elsewhere(origin: String)
    }

    private let frame: PageFrame
    private let status: StatusPlace

    package init(language: Language, status: StatusPlace) {
        frame = PageFrame(language: language)
        self.status = status
    }

    package var html: [UInt8] {
        let body: Markup = """
            <p>\(frame.say(.whatThisIs))</p>
            <p>\(frame.say(.whoConnects))</p>
            \(way)
            """
        return frame.page(frame.say(.thisServer), body, isAlone: status != .here)
    }

    private var way: Markup {
        let address: String
        switch status {
        case .nowhere: return ""
        case .here: address = "/ui/"
        case .elsewhere(let origin): address = origin + "/ui/"
        }
        return """
            <p><a href="\(address)">\(frame.say(.toTheStatus))</a></p>
            <p>\(frame.say(.forWhoRunsIt)) <code>bellwire ui</code></p>
            """
    }
}
