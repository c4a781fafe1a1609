import Base

/// What to type into a second terminal to see a first notification.
struct FirstSteps {
    enum Desktop {
        case running, notAsked, failed
    }

    let text: String

    init(in checkout: Checkout, _ desktop: Desktop) {
        let programs = ShellWord.quoted(Printable.text(checkout.path + "/.build/release"))
        let place =
            switch desktop {
            case .running: "The screen shows what it sends."
            case .notAsked:
                "There is no session bus, so nothing is shown on a screen; bellwire watch prints it."
            case .failed: "The log above says why no screen shows it; bellwire watch prints it."
            }
        text = """
            for a first notification, type into another terminal:
              export PATH=\(programs):$PATH
              bellwire hear builds
            It prints a line with curl to try. \(place)

            """
    }
}
