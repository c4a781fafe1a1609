/// What to try once everything works.
enum NextSteps {
    static func text(isServerHere: Bool) -> String {
        isServerHere ? server : desktop
    }

    private static let server = """

        everything works; next you can try:
          bellwire register --app hello --account me --dialect plain --subscription hello.json
          bellwire send --to hello.json "Hello"    # the desktop shows it, or bellwire watch
          bellwire device add laptop               # addresses for a browser, a desktop, a phone
        The pages in docs/recipes set up Telegram, Matrix and servers that speak Apple's JSON.

        """

    private static let desktop = """

        everything works; next you can try:
          bellwire desktop                         # with this address in the file receivers
          bellwire apps list                       # the applications that get pushes here
        The pages in docs/recipes set up Telegram, Matrix and servers that speak Apple's JSON.

        """
}
