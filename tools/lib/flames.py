"""A tree of functions as an SVG: each as wide as the part of the whole that it takes, below who calls it."""

from xml.sax.saxutils import escape

WIDTH, ROW, LETTER = 1_200, 16, 6.8
COLOURS = {
    "OpenSSL": "#e6b0a8",
    "SQLite": "#b9d7a8",
    "nghttp2": "#d9c7e8",
    "libc": "#cfd4da",
    "Swift": "#f3dfa2",
    "C": "#e2e2d0",
    "other libraries": "#dddddd",
}
OURS = "#a9c9e8"


def depth(node):
    return 1 + max((depth(one) for one in node["of"]), default=0)


def picture(tree):
    """The root, which is everything, is left out."""
    height = (depth(tree) - 1) * ROW
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    draw(tree["of"], 0, 0, parts)
    return "\n".join(parts + ["</svg>"]) + "\n"


def draw(nodes, x, y, parts):
    for node in nodes:
        width = node["share"] * WIDTH
        title = escape(f"{node['name']} ({node['part']}): {node['share']:.1%}")
        name = escape(node["name"][: max(0, int((width - 6) / LETTER))])
        parts.append(
            f'<g><title>{title}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW}" '
            f'fill="{COLOURS.get(node["part"], OURS)}" stroke="#ffffff"/>'
            f'<text x="{x + 3:.1f}" y="{y + 12}">{name if len(name) > 2 else ""}</text></g>'
        )
        draw(node["of"], x, y + ROW, parts)
        x += width
