package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Routes of Apache Pulsar's HTTP interface, those that are not here among them. Clients are not told 404 for one of these: the Java admin
 * client, for one, takes 404 for an empty list where it peeks at messages.
 */
final class PulsarRoutes {
    private static final String FILE = "pulsar-routes.txt";
    private static final List<PulsarRoute> ALL = read();

    private PulsarRoutes() {}

    /**
     * A path with the methods that it has.
     *
     * @param segments of the path, {@code *} for a parameter
     */
    record PulsarRoute(Set<String> methods, List<String> segments) {

        /** @param pattern such as {@code /a/*} */
        static List<String> segments(String pattern) {
            return Arrays.asList(pattern.split("/"));
        }

        boolean matches(String method, String path) {
            return methods.contains(method) && covers(segments, segments(path));
        }

        PulsarRoute only(Predicate<String> wanted) {
            return new PulsarRoute(methods.stream().filter(wanted).collect(Collectors.toSet()), segments);
        }

        /** Whether every path of {@code others} is one of {@code segments}, too. */
        static boolean covers(List<String> segments, List<String> others) {
            if (segments.size() != others.size()) {
                return false;
            }
            for (int i = 0; i < segments.size(); i++) {
                if (!segments.get(i).equals("*") && !segments.get(i).equals(others.get(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    static List<PulsarRoute> all() {
        return ALL;
    }

    static boolean have(List<PulsarRoute> routes, String method, String path) {
        return routes.stream().anyMatch(route -> route.matches(method, path));
    }

    private static List<PulsarRoute> read() {
        try (InputStream in = PulsarRoutes.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing");
            }
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" "))
                    .map(words -> new PulsarRoute(Set.of(words[0].split(",")), PulsarRoute.segments(words[1])))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(FILE + " cannot be read", e);
        }
    }
}
