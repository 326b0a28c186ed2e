"""Hook of mkdocs: what is in the repository but not on the site is shown without a link; lists begin without an empty line."""
import re

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:testcontainers|helm|conformance|perf|README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)[^)]*\)")
FENCE = re.compile(r"^ *```")
LIST = re.compile(r"^(?:[-*]|\d+\.) ")


def on_page_markdown(markdown, page, **_):
    """The page's text as Python's Markdown reads it: GitHub's begins a list or a table right behind a paragraph."""
    depth = page.file.src_uri.count("/")
    markdown = OUTSIDE.sub(lambda link: link.group(1) if outside(link.group(0), depth) else link.group(0), markdown)
    lines, before, code = [], "", False
    for line in markdown.split("\n"):
        if FENCE.match(line):
            code = not code
        begins = LIST.match(line) and not LIST.match(before) and not before.startswith(" ")
        begins = begins or (line.startswith("|") and not before.startswith("|"))
        if not code and begins and before.strip():
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def outside(link, depth):
    return link.count("../") > depth
