package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names in a request's path, as Pulsar's clients encode them. Admin clients encode a subscription's name twice (Java: a form in a path; Go:
 * a path in a path), but Java's does so once for transactions and scalable topics. A topic's name is encoded once, with a plus for a space;
 * Go's admin client encodes it twice where it asks for schemas, and in the name of a scalable topic a plus is one. What is encoded twice may
 * come encoded once, as long as that cannot be read as the other.
 */
final class PathNames {
    private PathNames() {}

    /**
     * The path's parameters, by name.
     *
     * @param route {@code /a/:topic/b}; {@code :schemaTopic} and {@code :scalableTopic} are the parameter {@code topic} as clients write it
     *     where they ask for schemas, and for scalable topics
     * @param path that the route matches, encoded
     */
    static Map<String, String> in(String route, String path) {
        Map<String, String> parameters = new HashMap<>();
        String[] names = route.split("/");
        String[] values = path.split("/");
        for (int i = 0; i < names.length; i++) {
            switch (names[i]) {
                case ":topic" -> parameters.put("topic", topic(values[i]));
                case ":scalableTopic" -> parameters.put("topic", once(values[i]));
                case ":schemaTopic" -> parameters.put("topic", topicOfSchema(values[i]));
                case ":subscription" -> parameters.put("subscription", subscription(values[i]));
                case String name when name.startsWith(":") -> parameters.put(name.substring(1), once(values[i]));
                default -> {}
            }
        }
        return parameters;
    }

    private static String topic(String encoded) {
        return URLDecoder.decode(encoded, UTF_8);
    }

    /** A plus was a space the first time; one that appears now is meant. */
    private static String topicOfSchema(String encoded) {
        return again(topic(encoded), false);
    }

    /** A plus that is not encoded is meant: that is how Go's client writes it, and Java's for transactions. */
    private static String subscription(String encoded) {
        return encoded.indexOf('+') < 0 ? again(once(encoded), true) : again(once(encoded), false);
    }

    private static String once(String encoded) {
        return URLDecoder.decode(encoded.replace("+", "%2B"), UTF_8);
    }

    private static String again(String decoded, boolean form) {
        String twice = decodedIfValid(form ? decoded : decoded.replace("+", "%2B"));
        return twice == null ? decoded : twice;
    }

    /** Null where the text is not encoded: a percent sign that begins nothing, or bytes that are no UTF-8. */
    private static @Nullable String decodedIfValid(String text) {
        try {
            String decoded = URLDecoder.decode(text, UTF_8);
            return decoded.indexOf('\uFFFD') < 0 ? decoded : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
