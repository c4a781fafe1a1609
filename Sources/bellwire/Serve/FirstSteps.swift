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
            case .running: "It is shown on the screen."
            case .notAsked:
                "There is no session bus, so nothing is shown on a screen; bellwire watch prints it."
            case .failed: "The log above says why no screen shows it; bellwire watch prints it."
            }
        text = """
            for a first notification, type into another terminal:
              export PATH=\(programs):$PATH
              bellwire register --app hello --account me --dialect plain --subscription ~/hello.json
              bellwire send --to ~/hello.json "Hello from Bellwire"
            \(place)

            """
    }
}
