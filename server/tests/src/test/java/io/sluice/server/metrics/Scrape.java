package io.sluice.server.metrics;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server's {@code /metrics} answered once: the families with their descriptions, and every name with its labels. */
public final class Scrape {
    private static final Pattern SAMPLE = Pattern.compile("([a-z0-9_]+)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");

    /** @param type as Prometheus names it */
    public record Family(String type, String description, Set<String> labels) {}

    private final Map<String, Family> families = new TreeMap<>();
    private final Map<String, Set<String>> labelsByName = new TreeMap<>();
    private final Set<String> samples = new TreeSet<>();

    public static Scrape of(String http) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://" + http + "/metrics"))
                    .build();
            var scrape = new Scrape();
            client.send(request, BodyHandlers.ofString()).body().lines().forEach(scrape::add);
            return scrape;
        }
    }

    private String help = "";
    private String family = "";

    private void add(String line) {
        if (line.startsWith("# HELP ")) {
            help = line.substring(line.indexOf(' ', 7) + 1);
        } else if (line.startsWith("# TYPE ")) {
            String[] words = line.split(" ");
            family = words[2];
            families.put(family, new Family(words[3], help, new TreeSet<>()));
        } else {
            sample(line);
        }
    }

    private void sample(String line) {
        samples.add(line);
        Matcher sample = SAMPLE.matcher(line);
        if (!sample.matches()) {
            throw new IllegalArgumentException("not a sample: " + line);
        }
        Set<String> labels = labelsByName.computeIfAbsent(sample.group(1), name -> new TreeSet<>());
        if (sample.group(2) != null) {
            LABEL.matcher(sample.group(2)).results().forEach(label -> labels.add(label.group(1)));
        }
        Family known = families.get(family);
        if (known != null) {
            known.labels().addAll(labels);
        }
    }

    /** By the name of its {@code # TYPE} line. */
    public Map<String, Family> families() {
        return families;
    }

    /** As they stand there, values too. */
    public Set<String> samples() {
        return samples;
    }

    public boolean has(String name) {
        return labelsByName.containsKey(name);
    }

    public Set<String> labels(String name) {
        return labelsByName.getOrDefault(name, Set.of());
    }
}
