package io.sluice.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Clients of a random history that are not Java's, each in a process of its own. Producers end when all of their messages are acknowledged, also
 * if the server is killed meanwhile. Each method is one step; steps of one kind never run at the same time.
 */
final class HistoryPrograms {
    private static final int MOST = 12;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SluiceServer server;
    private final HistoryBook book;
    private final Path folder;

    HistoryPrograms(SluiceServer server, HistoryBook book, Path folder) {
        this.server = server;
        this.book = book;
        this.folder = folder;
    }

    /** By librdkafka, then by Pulsar's C++ client. */
    void python(Random random) throws Exception {
        Sent sent = next(random, "librdkafka", "cpp");
        sent.acknowledged(ClientProgram.pythonLines("both.py", sent.arguments()));
    }

    /** By franz-go, then by Pulsar's Go client. */
    void go(Random random) throws Exception {
        Sent sent = next(random, "franz-go", "go");
        sent.acknowledged(ClientProgram.goLines("both", sent.arguments()));
    }

    /** A consumer of Pulsar's C++ client, which is not told of the end of what it acknowledges: a server that is killed may not have it. */
    void takeByCpp(Random random, HistorySubscription subscription, boolean killed) throws Exception {
        taken(ClientProgram.pythonLines("both.py", take(random, subscription)), subscription, killed);
    }

    /** A consumer of Pulsar's Go client, which is. */
    void takeByGo(Random random, HistorySubscription subscription) throws Exception {
        taken(ClientProgram.goLines("both", take(random, subscription)), subscription, false);
    }

    private String[] take(Random random, HistorySubscription subscription) {
        String seed = Integer.toString(random.nextInt(Integer.MAX_VALUE));
        return new String[] {"take", server.kafka(), server.pulsar(), book.topic, subscription.ownName(), seed};
    }

    private static void taken(List<String> lines, HistorySubscription subscription, boolean killed) throws Exception {
        List<Long> received = new ArrayList<>();
        List<Long> acknowledged = new ArrayList<>();
        List<Long> unsure = new ArrayList<>();
        for (JsonNode each : result(lines).get("taken")) {
            long offset = each.get(0).asLong();
            received.add(offset);
            if (each.get(1).isNull() || killed && each.get(1).asBoolean()) {
                unsure.add(offset);
            } else if (each.get(1).asBoolean()) {
                acknowledged.add(offset);
            }
        }
        subscription.taken(received, acknowledged, unsure);
    }

    private static JsonNode result(List<String> lines) throws Exception {
        return JSON.readTree(
                lines.stream().filter(line -> line.startsWith("{")).findFirst().orElseThrow());
    }

    private Sent next(Random random, String ofKafka, String ofPulsar) {
        List<HistoryMessage> kafka = new ArrayList<>();
        List<HistoryMessage> pulsar = new ArrayList<>();
        for (int i = random.nextInt(MOST); i >= 0; i--) {
            kafka.add(book.next(true, ofKafka));
        }
        // a name of its own each time: sequence ids begin anew
        String name = ofPulsar + "-" + kafka.getFirst().n();
        for (int i = random.nextInt(MOST); i >= 0; i--) {
            pulsar.add(book.next(false, name, false));
        }
        return new Sent(name, kafka, pulsar);
    }

    private final class Sent {
        private final String name;
        private final List<HistoryMessage> kafka;
        private final List<HistoryMessage> pulsar;

        Sent(String name, List<HistoryMessage> kafka, List<HistoryMessage> pulsar) {
            this.name = name;
            this.kafka = kafka;
            this.pulsar = pulsar;
        }

        String[] arguments() throws Exception {
            Path file = folder.resolve(name + ".json");
            JSON.writeValue(
                    file.toFile(),
                    Map.of(
                            "kafka", kafka.stream().map(HistoryMessage::json).toList(),
                            "pulsar", pulsar.stream().map(HistoryMessage::json).toList()));
            return new String[] {"history", server.kafka(), server.pulsar(), book.topic, file.toString(), name};
        }

        void acknowledged(List<String> lines) throws Exception {
            JsonNode offsets = result(lines);
            acknowledged(kafka, offsets.get("kafka"));
            acknowledged(pulsar, offsets.get("pulsar"));
        }

        private void acknowledged(List<HistoryMessage> messages, JsonNode offsets) {
            for (int n = 0; n < messages.size(); n++) {
                book.acknowledged(messages.get(n), Math.max(-1, offsets.get(n).asLong()));
            }
        }
    }
}
