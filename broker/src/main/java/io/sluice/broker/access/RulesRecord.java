package io.sluice.broker.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rules on one pattern as stored: {@code 1} in the first line, their version; then a line for each rule,
 * {@code allow|deny OPERATION host principal}. The record's name has the pattern: {@code TYPE literal|prefixed name}, in base64.
 */
final class RulesRecord {
    private static final String VERSION = "1";
    private static final String ALLOW = "allow";
    private static final String DENY = "deny";
    private static final String LITERAL = "literal";
    private static final String PREFIXED = "prefixed";

    private RulesRecord() {}

    static String nameOf(ResourcePattern pattern) {
        String text = pattern.type() + " " + (pattern.prefixed() ? PREFIXED : LITERAL) + " " + pattern.name();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }

    /** Null if the record is none of rules. */
    static @Nullable ResourcePattern patternOf(String name) {
        try {
            String[] words = new String(Base64.getUrlDecoder().decode(name), UTF_8).split(" ", 3);
            boolean known = words.length == 3 && (words[1].equals(LITERAL) || words[1].equals(PREFIXED));
            return known
                    ? new ResourcePattern(ResourceType.valueOf(words[0]), words[2], words[1].equals(PREFIXED))
                    : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    static byte[] encode(Collection<AccessRule> rules) {
        var text = new StringBuilder(VERSION).append('\n');
        for (AccessRule rule : rules) {
            text.append(rule.allows() ? ALLOW : DENY)
                    .append(' ')
                    .append(rule.operation())
                    .append(' ')
                    .append(rule.host())
                    .append(' ')
                    .append(rule.principal())
                    .append('\n');
        }
        return text.toString().getBytes(UTF_8);
    }

    /** @throws IOException a version or a line that this server does not know */
    static List<AccessRule> decode(ResourcePattern pattern, byte[] stored) throws IOException {
        String[] lines = new String(stored, UTF_8).split("\n");
        if (!lines[0].equals(VERSION)) {
            throw new IOException(
                    "the record of rules on " + pattern + " has version " + lines[0] + ", known is " + VERSION);
        }
        List<AccessRule> rules = new ArrayList<>(lines.length - 1);
        for (int i = 1; i < lines.length; i++) {
            rules.add(rule(pattern, lines[i]));
        }
        return List.copyOf(rules);
    }

    private static AccessRule rule(ResourcePattern pattern, String line) throws IOException {
        String[] words = line.split(" ", 4);
        try {
            if (words.length == 4 && (words[0].equals(ALLOW) || words[0].equals(DENY))) {
                return new AccessRule(pattern, words[3], words[2], Operation.valueOf(words[1]), words[0].equals(ALLOW));
            }
        } catch (IllegalArgumentException e) {
            // told below
        }
        throw new IOException("the record of rules on " + pattern + " has a line '" + line + "', which is not known");
    }
}
