package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Routes of Pulsar that mean nothing here, and why. The file has paragraphs: lines that begin with {@code #} say why, those after them which:
 * {@code METHOD path}, where {@code *} is any method or any element, and {@code **} any number of them.
 */
final class NotApplicable {
    private static final String FILE = "not-applicable.txt";
    private static final List<NotApplicable> ALL = read();

    private final Pattern route;
    private final int anyElements;
    private final String why;

    private NotApplicable(String line, String why) {
        String[] words = line.split(" ");
        String method = words[0].equals("*") ? "[A-Z]+" : words[0];
        String path = words[1].replace("**", "\0").replace("*", "[^/]+").replace("\0", ".*");
        this.route = Pattern.compile(method + " " + path);
        this.anyElements = (int) words[1].chars().filter(c -> c == '*').count();
        this.why = why;
    }

    /** Null for a route that is only missing, or is here. */
    static @Nullable String why(String method, String path) {
        String asked = method + " " + path;
        return ALL.stream()
                .filter(each -> each.route.matcher(asked).matches())
                .min(Comparator.comparingInt(each -> each.anyElements)) // one that names more is meant
                .map(each -> each.why)
                .orElse(null);
    }

    private static List<NotApplicable> read() {
        try (InputStream in = NotApplicable.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing");
            }
            List<NotApplicable> all = new ArrayList<>();
            String why = "";
            for (String line : new String(in.readAllBytes(), UTF_8).lines().toList()) {
                if (line.startsWith("#")) {
                    why = line.substring(1).strip();
                } else if (!line.isBlank()) {
                    all.add(new NotApplicable(line, why));
                }
            }
            return all;
        } catch (IOException e) {
            throw new IllegalStateException(FILE + " cannot be read", e);
        }
    }
}
