package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program of {@code docs/quick-start/}: the block of code under a heading of a language's page, run as its reader would. */
record QuickStart(String language, Protocol protocol) {
    private static final Path PAGES = Path.of("../docs/quick-start");
    private static final Path CLIENTS = Path.of("clients").toAbsolutePath();
    private static final Path FOLDER = Path.of("target/quick-start").toAbsolutePath();
    private static final int MESSAGES = 10;

    enum Protocol {
        KAFKA("## Kafka protocol"),
        PULSAR("## Pulsar protocol"),
        BOTH("## Both protocols");

        private final String heading;

        Protocol(String heading) {
            this.heading = heading;
        }
    }

    /** Those that can be run where the tests are. Node's client of Pulsar wants a C++ library. */
    static List<QuickStart> all() {
        List<QuickStart> all = new ArrayList<>();
        for (String language : List.of("java", "python", "go")) {
            all.add(new QuickStart(language, Protocol.KAFKA));
            all.add(new QuickStart(language, Protocol.PULSAR));
        }
        all.add(new QuickStart("python", Protocol.BOTH));
        all.add(new QuickStart("node", Protocol.KAFKA));
        return all;
    }

    /** Runs it, with names of its own and the server's addresses, and expects its messages in what it prints. */
    void run(SluiceServer server) throws Exception {
        String program = block(Files.readString(PAGES.resolve(language + ".md")), protocol.heading);
        Path folder = Files.createDirectories(FOLDER.resolve(language + "-" + protocol.name()));
        String output = run(folder, adapted(program, server));
        if (protocol == Protocol.BOTH) {
            for (String client : List.of("Kafka client: ", "Pulsar client:")) {
                assertThat(output.lines().filter(line -> line.startsWith(client)))
                        .hasSize(2)
                        .anyMatch(line -> line.contains("b'hello from Pulsar'") && line.contains("'trace'"))
                        .anyMatch(line -> line.contains("b'hello from Kafka'") && line.contains("'trace'"));
            }
            return;
        }
        for (int n = 0; n < MESSAGES; n++) {
            assertThat(output).contains("hello " + n);
        }
    }

    /** The first block of code behind {@code heading}. */
    static String block(String page, String heading) {
        Matcher block = Pattern.compile("(?s)" + Pattern.quote(heading) + "\n.*?```\\w+\n(.*?)```")
                .matcher(page);
        assertThat(block.find()).as("a block of code under %s", heading).isTrue();
        return block.group(1);
    }

    /** So that programs of several languages do not take each other's messages, and a slow machine does not fail them. */
    private String adapted(String program, SluiceServer server) {
        Map<String, String> instead = Map.of(
                "127.0.0.1:9092",
                firstOf(server.kafka()),
                "pulsar://127.0.0.1:6650",
                firstOf(server.pulsar()),
                "\"greetings\"",
                "\"greetings-" + language + "\"",
                "\"readers\"",
                "\"readers-" + language + "\"",
                "\"my-topic\"",
                "\"my-topic-" + language + "\"",
                "timeout=10)",
                "timeout=120)");
        String adapted = program;
        for (Map.Entry<String, String> each : instead.entrySet()) {
            adapted = adapted.replace(each.getKey(), each.getValue());
        }
        return adapted;
    }

    /** The programs have one address; any node is enough to begin with. */
    private static String firstOf(String addresses) {
        return addresses.split(",", 2)[0];
    }

    private String run(Path folder, String program) throws Exception {
        return switch (language) {
            case "java" -> ClientProgram.run(folder, 300, java(write(folder, "QuickStart.java", program)));
            case "python" ->
                ClientProgram.run(folder, 300, ClientProgram.pythonCommand(write(folder, "quick_start.py", program)));
            case "go" -> {
                Path source = write(folder, "main.go", program);
                yield ClientProgram.run(folder, 300, ClientProgram.goCommand(source, folder.resolve("quick-start")));
            }
            case "node" -> {
                ClientProgram.requireTool("npm");
                Files.copy(
                        CLIENTS.resolve("node/package.json"),
                        folder.resolve("package.json"),
                        StandardCopyOption.REPLACE_EXISTING);
                List<String> install = List.of("npm", "install", "--no-package-lock", "--no-audit", "--no-fund");
                ClientProgram.run(folder, 300, install);
                Path source = write(folder, "quick_start.js", program);
                yield ClientProgram.run(folder, 300, List.of("node", source.toString()));
            }
            default -> throw new IllegalStateException(language);
        };
    }

    private static List<String> java(Path source) {
        return BriefJvm.command(
                "-Xmx512m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), source.toString());
    }

    private static Path write(Path folder, String name, String program) throws IOException {
        return Files.writeString(folder.resolve(name), program);
    }
}
