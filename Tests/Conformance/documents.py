"""Cuts the five documents into paragraphs.

The documents are not part of the project. Whoever has them can check with `tools/conformance --documents FOLDER` that
paragraphs.tsv speaks of exactly their paragraphs. It keeps only a short hash of each.
"""

import hashlib
import html
import re

FIRST_WORDS = {
    "tdlib": "telegram-crawler",
    "telegram": "Handling PUSH-notifications",
    "matrix": "145 lines",
    "icq": "ICQ Mobile",
    "zego": "logo",
}


def cut(source, text):
    """The pairs of heading and paragraph in this document."""
    return list(CUTTERS[source](text))


def digest(paragraph):
    """Ten digits that change with each letter of a paragraph, but not with its line breaks."""
    return hashlib.sha256(" ".join(paragraph.split()).encode()).hexdigest()[:10]


def find(folder):
    """The text of each document in a folder, known by its first words, whatever the files are called."""
    found = {}
    for file in sorted(folder.iterdir()):
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        for source, words in FIRST_WORDS.items():
            if text.startswith(words):
                found[source] = text
    return found


def of_page(text):
    """TDLib's page, as HTML: what stands between title and footer."""
    content = text.partition('id="dev_page_content">')[2].partition('class="footer_wrap"')[0]
    heading = ""
    for found in re.finditer(r"<(h4|p|li|pre)>(.*?)</\1>", content, re.DOTALL):
        words = html.unescape(re.sub("<[^>]*>", "", found[2])).strip()
        if found[1] == "h4":
            heading = words
        else:
            yield heading, words


def of_blocks(text, is_heading, starts):
    """Blocks between empty lines. `starts` says of a line within a block that a paragraph begins there."""
    heading = ""
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n") if line.strip()]
        if len(lines) == 1 and is_heading(lines[0].strip()):
            heading = lines[0].strip()
            continue
        paragraph = []
        for line in lines:
            if paragraph and starts(line):
                yield heading, "\n".join(paragraph)
                paragraph = []
            paragraph.append(line)
        if paragraph:
            yield heading, "\n".join(paragraph)


def of_telegram(text):
    return of_blocks(
        text,
        lambda line: len(line) < 40 and line[-1] not in ".:",
        lambda line: re.match(r"\s*• |[A-Z][A-Z_]{4,} ", line),
    )


def of_matrix(text):
    """Taken from a page that put bars between the lines: two within a paragraph, four between two of them."""
    body = text[text.index("HTTP Notification Protocol") :]
    plain = re.sub(r"\n(?:\|\n){3,}", "\n\n", body + "\n")
    plain = re.sub(r"\n(?:\|\n?)+", "\n", plain)
    return of_blocks(
        plain,
        lambda line: False,
        lambda line: re.fullmatch(r"[a-z_]+", line) or line.startswith(("* ", "For sending", "This describes")),
    )


def of_icq(text):
    starts = r"    (Boolean|Notification mode|String|Integer|Disabled|sendOn|applePush|Everything, |We send|1\. One|PP)"
    return of_blocks(text, lambda line: line == "image", lambda line: re.match(starts, line))


def of_zego(text):
    body = re.sub(r"(?s)(Untitled\n.*?Copied!)", lambda found: re.sub(r"\n\s*\n", "\n", found[1]), text)
    return of_blocks(body, lambda line: len(line) < 60 and line[-1] not in ".:", lambda line: False)


CUTTERS = {"tdlib": of_page, "telegram": of_telegram, "matrix": of_matrix, "icq": of_icq, "zego": of_zego}
