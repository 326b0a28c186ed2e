package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Features of Pulsar's clients in several languages and versions, each used against the server: {@code docs/compatibility.md}.
 * {@code -Dsluice.docs.write=true} writes it.
 */
final class ClientMatrix {
    private static final Path PAGE = Path.of("../docs/compatibility.md");
    private static final Path RUST_SEEN = Path.of("clients/rust/seen.txt");

    private static final String INTRODUCTION = """
            # Pulsar's clients

            Each cell was seen by a run of that client against this server (`PulsarClientsTest`), with the programs `PulsarFeatures`, `features.py`,
            `go/features` and `rust` of `conformance`: **yes** works, **-** is not in that client. None is changed for this server. More about them is in
            [client-faults.md](client-faults.md) and [pulsar-errors.md](pulsar-errors.md).

            Programs of Java's classic API run with the client of Pulsar 5.0.0-M1, too; those of its new API are in `Pulsar5Part` of `conformance`. Node's
            client, which is C++'s as Python's is, was not tried: `QuickStart` runs Node with Kafka's protocol only. Rust's client is the crate `pulsar`,
            which takes minutes to compile: it runs with `-Pdeep`, last on 2026-11-30 (Rust 1.95). Its `seek` hangs on an Exclusive or Failover subscription,
            on Apache Pulsar, too: it subscribes anew while its first consumer is there.
            """;

    private ClientMatrix() {}

    /** Runs all clients, one after the other, and compares the page. */
    static void check(String url) throws Exception {
        Map<String, List<String>> outputs = new LinkedHashMap<>();
        outputs.put("Java 2.8.4", ClientProgram.javaLines("pulsar-2.8", PulsarFeatures.class, url));
        outputs.put("Java 3.0.7", ClientProgram.javaLines("pulsar-3.0", PulsarFeatures.class, url));
        outputs.put("Java 4.2.4", ClientProgram.javaLines("pulsar-4.2", PulsarFeatures.class, url));
        outputs.put("Java 5.0.0-M1", ClientProgram.pulsar5Lines(PulsarFeatures.class, url));
        outputs.put("Python 3.13 (C++)", ClientProgram.pythonLines("features.py", url));
        outputs.put("Go 0.19", ClientProgram.goLines("features", url));
        outputs.put("Rust 6.9.1", rust(url));
        Map<String, List<String>> cells = new LinkedHashMap<>();
        outputs.forEach((client, lines) -> lines.stream()
                .filter(line -> line.startsWith("= "))
                .forEach(line -> add(cells, client, line.substring(2))));
        assertThat(cells)
                .hasSizeGreaterThan(15)
                .allSatisfy((feature, all) -> assertThat(all).as(feature).hasSize(outputs.size()));
        compare(page(List.copyOf(outputs.keySet()), cells));
    }

    /** Of this run, if it has the client in Rust, which takes long to compile; else of the last one that had. */
    private static List<String> rust(String url) throws Exception {
        if (!Boolean.getBoolean("sluice.clients.rust")) {
            return Files.readAllLines(RUST_SEEN);
        }
        List<String> seen = ClientProgram.rustLines(url);
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.write(RUST_SEEN, seen);
        }
        return seen;
    }

    private static void add(Map<String, List<String>> cells, String client, String line) {
        String[] parts = line.split(": ", 2);
        assertThat(parts[1]).as(client + ": " + parts[0]).isIn("yes", "-");
        cells.computeIfAbsent(parts[0], key -> new ArrayList<>()).add(parts[1]);
    }

    private static List<String> page(List<String> clients, Map<String, List<String>> cells) {
        List<String> page = new ArrayList<>(INTRODUCTION.lines().toList());
        page.add("");
        page.add("| | " + String.join(" | ", clients) + " |");
        page.add("|---|" + String.join("", Collections.nCopies(clients.size(), "---|")));
        cells.forEach((feature, all) -> page.add("| " + feature + " | " + String.join(" | ", all) + " |"));
        return page;
    }

    private static void compare(List<String> page) throws Exception {
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.write(PAGE, page);
        } else {
            assertThat(Files.readAllLines(PAGE))
                    .as("written by -Dsluice.docs.write=true")
                    .isEqualTo(page);
        }
    }
}
