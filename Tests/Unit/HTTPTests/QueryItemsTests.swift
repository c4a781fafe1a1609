import HTTP
import Testing

@Suite("The items of a query")
struct QueryItemsTests {
    @Test(
        "The first of several with a name counts, decoded",
        arguments: [
            ("a=1&a=2", "1"), ("b=0&a=1%20x&a=3", "1 x"), ("a=", ""), ("aa=1&a=2", "2"),
            ("a", nil), ("", nil), ("b=a=1", nil), ("a=%", nil), ("a=%FF&a=1", nil),
        ] as [(String, String?)])
    func first(query: String, value: String?) {
        #expect(QueryItems(query)["a"] == value)
    }
}
