package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One topic, written by six clients and read by the same six: kafka-clients, librdkafka and franz-go; Pulsar's Java, C++ and Go clients.
 * Each reader gets all messages, of both protocols, in order and byte for byte, also after {@code kill -9}. {@link S3TierTest} has the
 * tier. Kafka's read what Pulsar's wrote in chunks. An application moves between the protocols, another has both in its transactions.
 */
class TwoProtocolsTest {
    private static final String TOPIC = "both";
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final int HISTORIES = Integer.getInteger("sluice.history.runs", 1);
    private static final long SEED = Long.getLong("sluice.history.seed", System.nanoTime());
    private static final int KILLS = 2;

    /** How often it is looked what is to be compacted. */
    private static final String SETTINGS = "topics: {compactionCheckMillis: 500}\n";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private static Path folder;

    private static SluiceServer server;

    @BeforeAll
    static void start() {
        server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of());
    }

    @AfterAll
    static void end() throws Exception {
        try (SluiceServer ended = server) {
            assertThat(ended.log()).doesNotContain(" ERROR ");
        }
    }

    @Test
    void everyClientReadsWhatEveryOtherWrote() throws Exception {
        SixReaders readers = writeAll();
        readers.check("tail");
        MovedApplication.check(server);
        GroupsInPulsarsAdmin.check(server);
        TransactionsOfBoth.check(server);
        server.kill();
        server.start();
        readers.check("killed");
    }

    @Test
    void bothReadWhatCompactionLeavesOfBoth() throws Exception {
        CompactedOfBoth view = CompactedOfBoth.withView(server);
        CompactedOfBoth log = CompactedOfBoth.inItsLog(server);
        SixReaders readers = log.readers(folder);
        view.check();
        readers.check("compacted");
        log.check();
        server.kill();
        server.start();
        view.check();
        log.check();
    }

    @Test
    void bothReadTheSameHistoryWhateverIsKilled() throws Exception {
        for (int n = 0; n < HISTORIES; n++) {
            MixedHistory.play(server, SEED + n, KILLS, folder);
        }
    }

    @Test
    void kafkasClientsReadWhatPulsarsWroteInChunks() throws Exception {
        SixReaders readers = ChunksForKafka.write(server, folder);
        readers.checkKafka("tail");
        server.kill();
        server.start();
        readers.checkKafka("killed");
    }

    private static SixReaders writeAll() throws Exception {
        SixReaders readers = new SixReaders(server, folder, TOPIC);
        MixedTopic contents = new MixedTopic(7);
        Path file = folder.resolve("contents.json");
        JSON.writeValue(file.toFile(), contents.json());
        String[] program = {"write", server.kafka(), server.pulsar(), TOPIC, file.toString()};
        ClientProgram.python("both.py", program);
        ClientProgram.go("both", program);
        expect(readers, contents);
        expect(readers, contents);
        MixedTopic ofJava = new MixedTopic(8);
        JavaOfBoth.write(server, TOPIC, ofJava);
        expect(readers, ofJava);
        return readers;
    }

    private static void expect(SixReaders readers, MixedTopic contents) {
        contents.kafka().forEach(each -> readers.expect(true, each, each.inPulsar()));
        contents.pulsar().forEach(each -> readers.expect(false, each.inKafka(), each));
    }
}
