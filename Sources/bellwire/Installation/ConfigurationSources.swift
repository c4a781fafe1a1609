import Base
import Configuration
import System

enum ConfigurationSources {
    static let options = options(of: ConfigurationKey.all)

    /// `--config` and one option for each key.
    static func options(of keys: [ConfigurationKey]) -> [Command.Option] {
        [Command.Option("config", "FILE", help: "read this file instead of the default one")]
            + keys.map { Command.Option($0.name, $0.placeholder, help: $0.explanation) }
    }

    /// Says which settings a reload does not change.
    static let reloadSentence =
        "A change of "
        + Wording.list(ConfigurationKey.all.filter { $0.effect == .atStart }.map(\.name))
        + " needs a restart; the server applies all other changes when it receives SIGHUP."

    private static let folders = [
        "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "STATE_DIRECTORY", "CREDENTIALS_DIRECTORY",
    ]

    /// `store` takes the place of what an option, a variable or the file says.
    static func read(
        _ arguments: Arguments, handedOver: [ListenAddress] = [], store: String? = nil
    ) throws -> ServerConfiguration {
        var input = ConfigurationInput()
        for key in ConfigurationKey.all { input.options[key.name] = arguments.all(key.name) }
        if let store { input.options[ConfigurationKey.store.name] = [store] }
        input.handedOver = handedOver
        return try configuration(&input, path: arguments["config"])
    }

    /// Without options, for commands that have others.
    static func readDefault() throws -> ServerConfiguration {
        var input = ConfigurationInput()
        return try configuration(&input, path: nil)
    }

    private static func configuration(
        _ input: inout ConfigurationInput, path: String?
    ) throws -> ServerConfiguration {
        input.environment = Environment.values(
            of: folders + ConfigurationKey.all.map(\.environmentName))
        input.hostName = HostName.current
        input.file = try file(path, input.environment)
        return try ServerConfiguration(input)
    }

    /// A file given by option must exist; the default one need not.
    private static func file(
        _ path: String?, _ environment: [String: String]
    ) throws -> ConfigurationInput.File? {
        let usual = ConfigurationInput.defaultPath(environment, isSystemService: isSystemService)
        guard let path = path ?? usual.flatMap({ FileStamp(of: $0) == nil ? nil : $0 }) else {
            return nil
        }
        return ConfigurationInput.File(path: path, bytes: try TextFile.read(path))
    }

    /// systemd gives a user's service a runtime folder, and a system service none.
    private static var isSystemService: Bool {
        Environment["INVOCATION_ID"] != nil && Environment["XDG_RUNTIME_DIR"] == nil
    }
}

/// A folder with the sources, in which deploy/run builds and starts the server.
struct Checkout {
    let path: String

    /// For key files that people make, and for the authority of the development certificate.
    var keys: String { path + "/Keys" }

    init(_ path: String) { self.path = path }
}
