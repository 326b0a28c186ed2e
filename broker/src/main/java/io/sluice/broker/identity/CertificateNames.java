package io.sluice.broker.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Rules from the distinguished name of a certificate to a user's name, in the form of Kafka's {@code ssl.principal.mapping.rules}:
 * {@code RULE:pattern/replacement/} with {@code L} or {@code U} behind it for small or capital letters, or {@code DEFAULT}, the whole
 * name; with commas between them. The first rule that matches the whole name counts.
 */
public final class CertificateNames {
    private static final Pattern RULE =
            Pattern.compile("\\s*(?:(DEFAULT)|RULE:((?:\\\\.|[^\\\\/])*)/((?:\\\\.|[^\\\\/])*)/([LU]?))\\s*(?:,|$)");

    private final List<Rule> rules;

    private record Rule(Pattern pattern, String replacement, String letters) {
        String apply(Matcher matcher) {
            String name = matcher.replaceAll(replacement);
            return switch (letters) {
                case "L" -> name.toLowerCase(Locale.ENGLISH);
                case "U" -> name.toUpperCase(Locale.ENGLISH);
                default -> name;
            };
        }
    }

    private CertificateNames(List<Rule> rules) {
        this.rules = rules;
    }

    /** @throws IllegalArgumentException text that is no rule, which the message quotes */
    public static CertificateNames parse(String text) {
        List<Rule> rules = new ArrayList<>();
        Matcher matcher = RULE.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (!matcher.find(at) || matcher.start() != at) {
                throw new IllegalArgumentException("'" + text.substring(at)
                        + "' is no rule for certificates' names: expected is RULE:pattern/replacement/ or DEFAULT");
            }
            at = matcher.end();
            rules.add(matcher.group(1) != null ? new Rule(Pattern.compile("(.*)"), "$1", "") : rule(matcher));
        }
        return new CertificateNames(rules);
    }

    private static Rule rule(Matcher matcher) {
        try {
            return new Rule(
                    Pattern.compile(matcher.group(2).replace("\\/", "/")),
                    matcher.group(3).replace("\\/", "/"),
                    matcher.group(4));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "'" + matcher.group(2) + "' is no pattern for certificates' names: " + e.getDescription());
        }
    }

    /**
     * Name of the user whose certificate it is.
     *
     * @param distinguished name of the certificate's subject, as RFC 2253 writes it
     * @throws LoginException no rule matches
     */
    public String nameOf(String distinguished) throws LoginException {
        for (Rule rule : rules) {
            Matcher matcher = rule.pattern().matcher(distinguished);
            if (matcher.matches()) {
                return rule.apply(matcher);
            }
        }
        throw new LoginException("no rule makes a user's name of the certificate's");
    }
}
