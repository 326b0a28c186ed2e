package io.sluice.perf.report;

import java.util.ArrayDeque;
import java.util.Deque;

/** Writes elements that are always closed, and text and attributes that are always escaped: HTML that XML parsers read too. */
final class Markup {
    private final StringBuilder out = new StringBuilder(1 << 16);
    private final Deque<String> open = new ArrayDeque<>();

    Markup(String prologue) {
        out.append(prologue);
    }

    /** @param attributes names and values in turn; an empty value is left out */
    Markup open(String element, String... attributes) {
        start(element, attributes);
        out.append('>');
        open.push(element);
        return this;
    }

    Markup close() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    Markup empty(String element, String... attributes) {
        start(element, attributes);
        out.append("/>");
        return this;
    }

    Markup text(String text) {
        escape(text);
        return this;
    }

    Markup leaf(String element, String text, String... attributes) {
        return open(element, attributes).text(text).close();
    }

    /** A line break of the source, to keep it readable. */
    Markup line() {
        out.append('\n');
        return this;
    }

    /** Text of our own that must not be escaped: a style sheet. */
    Markup verbatim(String ownText) {
        out.append(ownText);
        return this;
    }

    private void start(String element, String... attributes) {
        out.append('<').append(element);
        for (int i = 0; i < attributes.length; i += 2) {
            if (!attributes[i + 1].isEmpty()) {
                out.append(' ').append(attributes[i]).append("=\"");
                escape(attributes[i + 1]);
                out.append('"');
            }
        }
    }

    private void escape(String text) {
        text.codePoints().forEach(point -> {
            switch (point) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                default -> out.appendCodePoint(isXmlCharacter(point) ? point : 0xFFFD);
            }
        });
    }

    private static boolean isXmlCharacter(int point) {
        return point == '\t'
                || point == '\n'
                || (point >= 0x20 && point < 0xD800)
                || (point >= 0xE000 && point != 0xFFFE && point != 0xFFFF);
    }

    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("not closed: " + open);
        }
        return out.toString();
    }
}
