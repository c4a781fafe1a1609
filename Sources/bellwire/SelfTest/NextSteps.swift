/// What to try once everything works.
enum NextSteps {
    static func text(isServerHere: Bool) -> String {
        isServerHere ? server : desktop
    }

    private static let server = """

        everything works; next you can try:
          bellwire hear builds          # an address to which any script can push with curl
          bellwire device add laptop    # addresses for a browser, a desktop, a phone
        The pages in docs/recipes set up Firefox, Telegram, Matrix, monitoring and more.

        """

    private static let desktop = """

        everything works; next you can try:
          bellwire desktop              # with this address in the file receivers
          bellwire apps list            # the receivers, and the applications that get pushes here
        The pages in docs/recipes set up Firefox, KDE, Telegram, Matrix and more.

        """
}
