import Configuration
import System
import WebPush

/// What to do after an installation, by what is there.
struct NextStep {
    let text: String

    /// `isForThisMachine`: nobody comes from elsewhere.
    init(isForThisMachine: Bool, hasDesktop: Bool, isServing: Bool) {
        text =
            switch (isForThisMachine, hasDesktop, isServing) {
            case (true, false, _):
                """
                this machine has no desktop, and base-url names only this machine: set base-url and \
                the certificate in /etc/bellwire/bellwire.conf, as docs/server.md shows, and run \
                bellwire check --config /etc/bellwire/bellwire.conf
                """
            case (true, true, false): "run bellwire serve --desktop, and bellwire hear NAME"
            case (false, _, false): "run systemctl enable --now bellwire.socket bellwire"
            case (true, true, true):
                "run bellwire hear NAME for an address that shows notifications"
            case (false, _, true): "run bellwire device add NAME for each device that may connect"
            }
    }

    init(_ configuration: ServerConfiguration) {
        let control = try? ControlConnection(configuration, isNamed: false)
        self.init(
            isForThisMachine: configuration.expectedBaseURL?.origin.isLoopback ?? false,
            hasDesktop: Self.hasDesktop, isServing: control?.isThere ?? false)
    }

    /// A session has a bus, where it is said or where it always is.
    private static var hasDesktop: Bool {
        if Environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        return Environment["XDG_RUNTIME_DIR"].map { FileStamp(of: $0 + "/bus") != nil } ?? false
    }
}
