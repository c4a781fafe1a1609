"""Plots as SVG, which read the same on a light and on a dark page, and tables."""

from xml.sax.saxutils import escape


def table(heads, rows):
    text = [f"| {' | '.join(heads)} |", f"| {' | '.join('---' for _ in heads)} |"]
    return "\n".join(text + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]) + "\n"


WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 220, 56, 28, 26
COLOURS = ("#2f6fb0", "#b0582f", "#4d8a3d", "#8a5fb0")


def ceiling(value):
    """A round number that is not smaller."""
    step = 1.0
    while step * 10 <= value:
        step *= 10
    while step > value > 0:
        step /= 10
    return next((step * factor for factor in (1, 1.5, 2, 3, 5, 7.5, 10) if step * factor >= value), 1.0)


def number(value):
    return f"{value:g}" if value < 1000 else f"{value:,.0f}"


def lines(series, unit, span):
    """A line for each of the named lists of values, over a time that `span` names."""
    top = ceiling(max(max(values) for values in series.values()))
    height, width = HEIGHT - BOTTOM - TOP, WIDTH - LEFT - 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for part in (0, 0.5, 1):
        y = TOP + height * (1 - part)
        parts.append(f'<path d="M{LEFT} {y:.1f}h{width}" stroke="#d0d7de"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number(top * part)}</text>')
    parts.append(f'<text x="{LEFT - 6}" y="14" text-anchor="end">{escape(unit)}</text>')
    parts.append(f'<text x="{WIDTH - 12}" y="{HEIGHT - 8}" text-anchor="end">{escape(span)}</text>')
    x = LEFT
    for colour, (name, values) in zip(COLOURS, series.items(), strict=False):
        points = " ".join(
            f"{LEFT + width * index / max(1, len(values) - 1):.1f},{TOP + height * (1 - value / top):.1f}"
            for index, value in enumerate(values)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        parts.append(f'<text x="{x}" y="{HEIGHT - 8}" fill="{colour}">{escape(name)}</text>')
        x += 9 * len(name) + 12
    return "\n".join(parts + ["</svg>"]) + "\n"
