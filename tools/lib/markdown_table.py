"""A table of Markdown."""


def table(heads, rows):
    text = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    return "\n".join(text + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]) + "\n"
