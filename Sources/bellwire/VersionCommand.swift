import Base
import Crypto
import Outbound
import System

extension Command {
    static let version = Command(
        name: "version",
        summary: "print the version of bellwire and of the libraries it uses",
        options: [.json],
        examples: [
            Example("bellwire version", help: "print the version of each part"),
            Example("bellwire version --json", help: "print them as JSON, for a script"),
        ]
    ) { arguments in
        let rows = [
            ("bellwire", ProgramVersion.text),
            ("openssl", OpenSSLLibrary.version),
            ("curl", CurlLibrary.version),
        ]
        guard arguments.has("json") else {
            let lines = rows.map { "\($0.0) \($0.1)\n" }
            try StandardOutput.write(lines.joined())
            return .success
        }
        var writer = JSONWriter()
        writer.object { writer in
            for (name, value) in rows { writer.member(text: name, value) }
        }
        try StandardOutput.write(writer.text + "\n")
        return .success
    }
}
