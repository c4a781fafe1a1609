import Base

/// Owners as text.
enum OwnerReport {
    struct Owner {
        let id: Int
        let name: String
        let devices: Int
        let endpoints: Int
        let registrations: Int
        let messages: Int
        let bytes: Int
    }

    static func owners(json: [UInt8]) throws -> [Owner] {
        let root = try? JSONDocument(json).root
        guard let list = root?["owners"], list.kind == .array else { throw unreadable }
        return try list.elements.map { element in
            func number(_ name: StaticString) throws -> Int {
                guard let number = element[name]?.integer else { throw unreadable }
                return Int(number)
            }
            guard let name = element["name"]?.text else { throw unreadable }
            return Owner(
                id: try number("id"), name: name, devices: try number("devices"),
                endpoints: try number("endpoints"), registrations: try number("registrations"),
                messages: try number("messages"), bytes: try number("bytes"))
        }
    }

    private static var unreadable: CommandError {
        CommandError(message: "the server's answer cannot be read")
    }

    static func text(_ owners: [Owner]) -> String {
        guard !owners.isEmpty else { return "no owners; add one with bellwire owner add NAME\n" }
        let width = owners.map { Printable.text($0.name).count }.max() ?? 0
        return owners.map { owner in
            let name = Printable.text(owner.name)
            let gap = String(repeating: " ", count: width - name.count)
            return "\(name)\(gap)  \(count(owner.devices, "device"))"
                + ", \(count(owner.endpoints, "endpoint"))"
                + ", \(count(owner.registrations, "registration"))"
                + ", \(waiting(owner))\n"
        }.joined()
    }

    private static func waiting(_ owner: Owner) -> String {
        let text = "\(count(owner.messages, "message")) waiting"
        return owner.messages == 0 ? text : text + " (\(count(owner.bytes, "byte")))"
    }

    private static func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)" + (number == 1 ? "" : "s")
    }
}
