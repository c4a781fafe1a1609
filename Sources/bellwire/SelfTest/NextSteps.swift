/// What to try once everything works.
enum NextSteps {
    /// `isComplete`: the test went as far as the screen.
    static func text(isServerHere: Bool, isComplete: Bool) -> String {
        let result =
            isComplete
            ? "everything works"
            : "what is here works, but this test did not reach a screen (see skip above)"
        return "\n\(result); next you can try:\n" + (isServerHere ? server : desktop)
    }

    private static let server = """
          bellwire hear builds                        # an address to which any script can push with curl
          bellwire device add phone --receive-only    # an address for a phone or a browser
          bellwire device add laptop                  # an address for the desktop of another machine
        The pages in docs/recipes set up Firefox, Telegram, Matrix, monitoring and more.

        """

    private static let desktop = """
          bellwire desktop              # with this address in the file receivers
          bellwire apps list            # the receivers, and the applications that get pushes here
        The pages in docs/recipes set up Firefox, KDE, Telegram, Matrix and more.

        """
}
