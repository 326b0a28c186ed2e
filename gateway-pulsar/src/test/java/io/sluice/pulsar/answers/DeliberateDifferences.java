package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where this server answers otherwise on purpose. The file has paragraphs: lines that begin with {@code #} say why, those after
 * them what: {@code how | step | place}, where {@code *} stands for any text.
 */
final class DeliberateDifferences {
    private final List<Entry> entries;

    /** @param line in the file, for people who look for it */
    record Entry(int line, Difference.How how, String step, String place) {
        boolean covers(Difference d) {
            return d.how() == how
                    && pattern(step).matcher(d.step()).matches()
                    && pattern(place).matcher(d.place()).matches();
        }

        private static Pattern pattern(String text) {
            return Pattern.compile(
                    Stream.of(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
        }

        @Override
        public String toString() {
            return "line " + line + ": " + how.name().toLowerCase(Locale.ROOT) + " | " + step + " | " + place;
        }
    }

    private DeliberateDifferences(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    static DeliberateDifferences read(InputStream in) throws IOException {
        List<Entry> entries = new ArrayList<>();
        boolean reasoned = false;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.isBlank()) {
                    reasoned = false;
                } else if (line.startsWith("#")) {
                    reasoned = true;
                } else if (reasoned) {
                    entries.add(entry(number, line));
                } else {
                    throw new IOException("line " + number + " has no reason above it");
                }
            }
        }
        return new DeliberateDifferences(entries);
    }

    private static Entry entry(int number, String line) throws IOException {
        String[] parts = line.split(" \\|( |$)", -1);
        if (parts.length != 3) {
            throw new IOException("line " + number + " is not 'how | step | place'");
        }
        Difference.How how = Difference.How.valueOf(parts[0].strip().toUpperCase(Locale.ROOT));
        return new Entry(number, how, parts[1].strip(), parts[2].strip());
    }

    /** Those of the differences that nothing says are on purpose. */
    List<Difference> notOnPurpose(List<Difference> found) {
        return found.stream()
                .filter(d -> entries.stream().noneMatch(e -> e.covers(d)))
                .toList();
    }

    /** Entries that no difference needs any more. */
    List<Entry> gone(List<Difference> found) {
        return entries.stream().filter(e -> found.stream().noneMatch(e::covers)).toList();
    }
}
