package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.tiering.objectstore.s3.Minio;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A producer that sends all it can to a server whose object storage takes only so much: it settles at that speed, without
 * an error, and is back at its own when the storage is. {@code -Dsluice.limited.seconds} makes the time between longer.
 */
class LimitedTierTest {
    private static final int RECORD_BYTES = 10_000;
    private static final int PARTITIONS = 16;
    private static final double LIMIT = 8e6;
    /** Least time until it has settled, and for how long it is looked at whether it has. */
    private static final Duration SETTLES = Duration.ofSeconds(25);

    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final int SETTLED_SECONDS = Integer.getInteger("sluice.limited.seconds", 20);
    private static final int WINDOW_SECONDS = 10;

    @TempDir
    private Path folder;

    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    @Test
    void writersSettleAtTheTiersSpeedAndAreBackAtOnce() throws Exception {
        try (Minio minio = Minio.start(folder.resolve("minio"));
                TroubledLink link = new TroubledLink(minio.endpoint());
                SluiceServer server = SluiceServer.start(
                        folder.resolve("data"),
                        S3TierTest.tier(link.endpoint(), Map.of()),
                        Map.of("SLUICE_MEMORY", "512m"))) {
            KafkaSide side = new KafkaSide(server.kafka());
            side.create("limited", PARTITIONS);
            link.limitUploads(LIMIT);
            try (KafkaProducer<String, String> producer =
                    side.producer(Map.of("linger.ms", 2, "delivery.timeout.ms", 300_000))) {
                Thread writer = Thread.ofPlatform().start(() -> sendAllItCan(producer));
                try {
                    settles();
                    settled(server, link);
                    link.limitUploads(Double.POSITIVE_INFINITY);
                    released();
                } finally {
                    writer.interrupt();
                    writer.join();
                }
            }
        }
        assertThat(failure.get()).isNull();
    }

    /** A slow machine takes longer to fill what the server keeps before it pushes back. */
    private void settles() {
        rateIn(SETTLES);
        Awaitility.await()
                .pollInterval(Duration.ZERO)
                .atMost(2, TimeUnit.MINUTES)
                .until(() -> rateIn(LOOK), rate -> rate < 1.1 * LIMIT);
    }

    /** Clearly above the limit again, as soon as the machine has the time for it. */
    private void released() {
        long start = System.nanoTime();
        Awaitility.await()
                .atMost(2, TimeUnit.MINUTES)
                .until(() -> rateIn(Duration.ofSeconds(1)), rate -> rate > 1.5 * LIMIT);
        System.out.printf("released: above the limit after %.1f s%n", (System.nanoTime() - start) / 1e9);
    }

    /** At what the link carries, which is its limit unless the machine has no time for it. */
    private void settled(SluiceServer server, TroubledLink link) throws Exception {
        long resident = server.residentBytes();
        long acknowledgedBefore = acknowledged.get();
        long carriedBefore = link.uploaded();
        double[] windows = new double[SETTLED_SECONDS / WINDOW_SECONDS];
        for (int i = 0; i < windows.length; i++) {
            windows[i] = rateIn(Duration.ofSeconds(WINDOW_SECONDS));
        }
        double written = (acknowledged.get() - acknowledgedBefore) * (double) RECORD_BYTES;
        double carried = link.uploaded() - carriedBefore;
        System.out.printf(
                "settled: %s MB/s, resident %d to %d MiB%n",
                Arrays.stream(windows)
                        .mapToObj(each -> "%.2f".formatted(each / 1e6))
                        .toList(),
                resident >> 20,
                server.residentBytes() >> 20);
        assertThat(Arrays.stream(windows).boxed())
                .allSatisfy(each -> assertThat(each / LIMIT).isLessThan(1.1));
        assertThat(written / carried).isBetween(0.9, 1.1);
        assertThat(server.residentBytes()).isLessThan(resident + (64 << 20));
    }

    private void sendAllItCan(KafkaProducer<String, String> producer) {
        String value = "x".repeat(RECORD_BYTES);
        for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
            try {
                producer.send(new ProducerRecord<>("limited", i % PARTITIONS, null, value), (metadata, why) -> {
                    if (why == null) {
                        acknowledged.incrementAndGet();
                    } else {
                        failure.set(why);
                    }
                });
            } catch (org.apache.kafka.common.errors.InterruptException e) {
                return;
            }
        }
    }

    /** Bytes a second that are acknowledged from now on, for that time, or for longer on a machine that comes late. */
    private double rateIn(Duration time) {
        long before = acknowledged.get();
        long start = System.nanoTime();
        for (long left = time.toNanos(); left > 0; left = start + time.toNanos() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return (acknowledged.get() - before) * (double) RECORD_BYTES * 1e9 / (System.nanoTime() - start);
    }
}
