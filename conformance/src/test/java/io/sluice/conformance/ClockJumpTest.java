package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaCrashClient;
import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarCrashClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The machine's clock is set, ahead by days and back by less than the hour that a producer's records may be ahead of it, while the
 * server runs and while it is dead: producers of both protocols go on, and nothing acknowledged is lost.
 */
class ClockJumpTest {
    private static final String PROBE = "clock-probe";
    private static final Duration RIGHT = Duration.ZERO;
    private static final Duration BEHIND = Duration.ofMinutes(-50);
    private static final Duration DAYS_AHEAD = Duration.ofDays(2);
    private static final Duration MORE_DAYS_AHEAD = Duration.ofDays(3);
    private static final Duration CLOSE = Duration.ofMinutes(5);
    /** No more is sent than shows that sends go on. */
    private static final int IN_FLIGHT = 4;

    private static final int RECORD_BYTES = 100;

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    private ServerClock clock;
    private SluiceServer server;
    private List<CrashLoad> loads;

    @BeforeEach
    void start() throws Exception {
        clock = ServerClock.in(folder.resolve("clock"));
        server = SluiceServer.start(folder.resolve("data"), "", clock.environment());
        try (Admin admin = new KafkaSide(server.kafka()).admin()) {
            var probe = new NewTopic(PROBE, 1, (short) 1).configs(Map.of("message.timestamp.type", "LogAppendTime"));
            admin.createTopics(List.of(probe)).all().get();
        }
        loads = List.of(
                new CrashLoad(new KafkaCrashClient(server.kafka(), "clock-kafka", 0, 2), IN_FLIGHT, RECORD_BYTES),
                new CrashLoad(new KafkaCrashClient(server.kafka(), "clock-kafka", 1, 2), IN_FLIGHT, RECORD_BYTES),
                new CrashLoad(new PulsarCrashClient(server.pulsar(), "clock-pulsar"), IN_FLIGHT, RECORD_BYTES));
        loads.forEach(CrashLoad::start);
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void aClockThatIsSetCostsNothing() throws Exception {
        relocate(RIGHT);
        for (Duration next : List.of(BEHIND, DAYS_AHEAD, BEHIND)) {
            clock.set(next);
            relocate(next);
        }
        for (Duration next : List.of(MORE_DAYS_AHEAD, BEHIND)) {
            server.kill();
            clock.set(next);
            server.start();
            relocate(next);
        }
        for (CrashLoad load : loads) {
            load.finish();
            load.checkNothingLost("clock jumps");
        }
        server.stop();
        SluiceServer.Outcome verified = server.run("verify-data");
        assertThat(verified.output()).contains("No findings");
        assertThat(verified.exitCode()).isZero();
    }

    /** The server sees the clock so, and takes what every producer sends. */
    private void relocate(Duration offset) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaSide(server.kafka()).producer(Map.of())) {
            await("the server's clock is off by " + offset).untilAsserted(() -> {
                long seen = producer.send(new ProducerRecord<>(PROBE, "what time is it?"))
                        .get(60, TimeUnit.SECONDS)
                        .timestamp();
                assertThat(Duration.ofMillis(seen - System.currentTimeMillis()))
                        .isBetween(offset.minus(CLOSE), offset.plus(CLOSE));
            });
        }
        CrashLoad.awaitProgress("clock off by " + offset, loads);
    }
}
