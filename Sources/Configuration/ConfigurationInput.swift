/// Everything a configuration is made from.
package struct ConfigurationInput: Sendable {
    package struct File: Sendable {
        let path: String
        let bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The values of `--KEY` in the order given.
    package var options: [String: [String]]
    package var environment: [String: String]
    package var file: File?
    /// The listening sockets that systemd passed to this process.
    package var handedOver: [ListenAddress] = []
    /// What this machine calls itself; empty if that is not known.
    package var hostName = ""

    package init(
        options: [String: [String]] = [:], environment: [String: String] = [:], file: File? = nil
    ) {
        self.options = options
        self.environment = environment
        self.file = file
    }

    /// The values of each key from the first source that has any: an option, the environment, the
    /// file.
    func settings() throws(ConfigurationError) -> [String: [Setting]] {
        var settings: [String: [Setting]] = [:]
        if let file { settings = try ConfigurationFile.settings(file.bytes, path: file.path) }
        for key in ConfigurationKey.all {
            if let values = options[key.name] {
                settings[key.name] = try key.settings(values, .option(key.name))
            } else if let text = environment[key.environmentName] {
                settings[key.name] = try key.settings(
                    key.values(in: text), .environment(key.environmentName))
            }
        }
        for key in ConfigurationKey.all {
            for setting in settings[key.name] ?? [] { try key.check(setting) }
        }
        return settings
    }

    /// `/etc/bellwire/bellwire.conf` for a system service, else a file in the user's own folder;
    /// nil without a home.
    package static func defaultPath(
        _ environment: [String: String], isSystemService: Bool
    ) -> String? {
        if isSystemService { return "/etc/bellwire/bellwire.conf" }
        return folder("XDG_CONFIG_HOME", else: ".config", environment)
            .map { $0 + "/bellwire/bellwire.conf" }
    }

    /// A folder of the XDG base directory specification, which allows absolute paths only.
    static func folder(
        _ name: String, else fallback: String, _ environment: [String: String]
    ) -> String? {
        if let folder = environment[name], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/\(fallback)"
    }
}

extension ConfigurationKey {
    fileprivate func settings(
        _ values: [String], _ source: SettingSource
    ) throws(ConfigurationError) -> [Setting] {
        guard isRepeatable || values.count == 1 else {
            throw ConfigurationError("is given more than once", in: source)
        }
        return values.map { Setting($0, from: source) }
    }

    /// Several values in one variable are separated by spaces.
    fileprivate func values(in text: String) -> [String] {
        guard isRepeatable else { return [text] }
        var values: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if ListenAddress.continuesAddress(word), let last = values.popLast() {
                values.append("\(last) \(word)")
            } else {
                values.append(String(word))
            }
        }
        return values
    }

    fileprivate func check(_ setting: Setting) throws(ConfigurationError) {
        guard !setting.value.isEmpty else {
            throw ConfigurationError(
                "\(name) has no value", in: setting.source, hint: "write \(name) = \(placeholder)")
        }
        guard setting.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ConfigurationError("\(name) has a control character", in: setting.source)
        }
        if let problem = check(setting.value) {
            throw ConfigurationError(
                "\(name): \(shown(setting.value)) \(problem)", in: setting.source,
                hint: "write \(name) = \(placeholder)")
        }
    }
}
