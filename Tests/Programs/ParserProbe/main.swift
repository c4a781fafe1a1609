// Reads inputs from standard input, each with its length in front (four bytes, big endian), and
// prints what the HTTP/1.1 parser makes of each, one JSON object a line.
while let input = StandardInput.readInput() {
    StandardInput.write(ParserReport(input).line)
}
