package io.sluice.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.driver.Target;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OpenLoopTest {
    private static final RunResult.Subject SUBJECT = new RunResult.Subject("fake", "fake", "", Map.of());

    @TempDir
    private Path folder;

    /** Gives back at once what it gets, unless it is told otherwise. */
    private static class Fake implements Target {
        final List<LongConsumer> readers = new ArrayList<>();
        final List<Long> kept = new ArrayList<>();

        @Override
        public Map<String, String> clientSettings() {
            return Map.of("client", "fake");
        }

        @Override
        public void createTopics(List<String> topics, int partitions) {}

        @Override
        public Sender producer(String topic, Batching batching) {
            return new Sender() {
                @Override
                public void send(
                        byte @Nullable [] key, byte[] value, Runnable acknowledged, Consumer<Throwable> failed) {
                    Fake.this.send(ByteBuffer.wrap(value).getLong(), acknowledged, failed);
                }

                @Override
                public void flush() {}
            };
        }

        synchronized void send(long due, Runnable acknowledged, Consumer<Throwable> failed) {
            try {
                acknowledged.run();
            } catch (RuntimeException e) {
                failed.accept(e);
            }
            kept.add(due);
            readers.forEach(reader -> reader.accept(due));
        }

        @Override
        public synchronized void consume(
                String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) {
            kept.forEach(each::accept);
            readers.add(each);
        }

        @Override
        public void close() {}
    }

    private static Workload workload(double backlogGB, int rate) {
        return new Workload("w", 1, 1, 1000, 2, 1, 1, rate, KeyDistributor.NO_KEY, backlogGB, 0, 2);
    }

    private static RunResult drive(Target target, Workload workload) throws Exception {
        return new OpenLoop(url -> target, line -> {}).drive("s", 1, workload, SUBJECT, "fake://", 0);
    }

    @Test
    void countsWhatIsPublishedAndRead() throws Exception {
        RunResult result = drive(new Fake(), workload(0, 1000));
        assertThat(result.failure()).isNull();
        // a busy machine may stop the sender at either end of the measured time and have it catch up behind it; what
        // is counted twice or not at all is off by the factor of two
        assertThat(result.figures().publishedPerSecond()).isBetween(600.0, 1400.0);
        assertThat(result.figures().consumedPerSecond()).isBetween(1200.0, 2800.0);
        assertThat(result.series()).hasSize(2);
        assertThat((double) result.figures().endToEnd().count()
                        / result.figures().publish().count())
                .isBetween(1.5, 2.5);
        assertThat(result.figures().serverCpuSeconds()).isNaN();
        assertThat(result.subject().settings()).containsEntry("client", "fake");
    }

    /** A client that blocks for half a second makes a quarter of two seconds' records late, though it sent one late record only. */
    @Test
    void recordsThatCouldNotBeSentInTimeCountFromWhenTheyWereDue() throws Exception {
        RunResult result = drive(
                new Fake() {
                    private int sent;

                    @Override
                    synchronized void send(long due, Runnable acknowledged, Consumer<Throwable> failed) {
                        if (++sent == 500) {
                            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                        }
                        super.send(due, acknowledged, failed);
                    }
                },
                workload(0, 1000));
        assertThat(result.figures().publish().p50()).isLessThan(100);
        assertThat(result.figures().publish().p95()).isGreaterThan(300);
    }

    @Test
    void saysWhatWasNotAcknowledgedOrNotRead() throws Exception {
        RunResult refused = drive(
                new Fake() {
                    @Override
                    synchronized void send(long due, Runnable acknowledged, Consumer<Throwable> failed) {
                        failed.accept(new IOException("no\nroom"));
                    }
                },
                workload(0, 100));
        assertThat(refused.failure()).contains("were not acknowledged: no room");
    }

    /** As Pravega's does with thousands of segments: the loads after it are driven all the same. */
    @Test
    void aClientThatNeedsMoreHeapHasFailed() throws Exception {
        RunResult result = drive(
                new Fake() {
                    @Override
                    public Sender producer(String topic, Batching batching) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                },
                workload(0, 100));
        assertThat(result.failure()).contains("ran out of heap", "SLUICE_PERF_JVM_OPTS");
    }

    @Test
    void drainsABacklog() throws Exception {
        RunResult result = drive(new Fake(), workload(0.001, 2000));
        assertThat(result.failure()).isNull();
        assertThat(result.figures().backlogDrainSeconds()).isBetween(0.0, 20.0);
        assertThat(result.figures().backlogReadPerSecond()).isPositive();
    }

    /** A tail reader from the start, and one that starts behind: the drain is the second's, the latency the first's. */
    @Test
    void aTailReaderGoesOnWhileAnotherCatchesUp() throws Exception {
        var fake = new Fake() {
            final List<String> subscribed = new ArrayList<>();

            @Override
            public synchronized void consume(
                    String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) {
                subscribed.add(subscription + (kept.size() >= 1_000 ? " behind" : ""));
                super.consume(topic, subscription, alone, sharing, each);
            }
        };
        var mixed = new Workload(
                "w",
                1,
                1,
                1000,
                2,
                1,
                1,
                2000,
                KeyDistributor.NO_KEY,
                0.001,
                0,
                2,
                Batching.STANDARD,
                1,
                Sharing.PARTITIONS);
        RunResult result = drive(fake, mixed);
        assertThat(result.failure()).isNull();
        assertThat(fake.subscribed).containsExactly("sub-0", "sub-1 behind");
        assertThat(result.figures().backlogDrainSeconds()).isPositive();
        assertThat(result.figures().endToEnd().count())
                .as("of the tail reader only")
                .isLessThan(1_000);
        assertThat(Measure.BACKLOG_DRAIN.of(result)).isPositive();
    }

    @Test
    void aBacklogAloneHasNoEndToEndLatency() throws Exception {
        RunResult result = drive(new Fake(), workload(0.001, 2000));
        assertThat(result.figures().endToEnd().count()).isZero();
    }

    @Test
    void saysHowWarmItWas() throws Exception {
        RunResult cold = drive(new Fake(), workload(0, 1000));
        assertThat(cold.warmth()).isEqualTo(Warmth.NONE);
        RunResult warm = drive(new Fake(), workload(0, 1000).withWarmUp(2));
        assertThat(warm.warmth().seconds()).isBetween(2.0, 10.0);
        assertThat(warm.warmth().records()).isPositive();
        assertThat(warm.figures().publish().count())
                .isLessThan(warm.warmthAfter().records());
    }

    /** Smaller ones, with topics and clients of their own, until there was load for the time of the warm-up. */
    @Test
    void aBacklogIsWarmedUpByBacklogs() throws Exception {
        List<Fake> targets = new ArrayList<>();
        OpenLoop loop = new OpenLoop(
                url -> {
                    targets.add(new Fake());
                    return targets.getLast();
                },
                line -> {});
        RunResult result = loop.drive("s", 1, workload(0.001, 2000).withWarmUp(2), SUBJECT, "fake://", 0);
        assertThat(result.failure()).isNull();
        assertThat(targets).hasSizeGreaterThan(1);
        assertThat(result.warmth().seconds()).isGreaterThan(1.9);
        assertThat(result.warmth().records()).isGreaterThan(2_000);
    }

    /** Readers that fall behind are waited for, so the measured time begins with little of the warm-up unread. */
    @Test
    void aWarmUpEndsWithLittleUnread() throws Exception {
        var lazy = new Fake() {
            private boolean readersRest = true;
            private int deferred;

            @Override
            synchronized void send(long due, Runnable acknowledged, Consumer<Throwable> failed) {
                acknowledged.run();
                if (readersRest) {
                    deferred++;
                    kept.add(due);
                } else {
                    readers.forEach(reader -> reader.accept(due));
                }
            }

            synchronized void catchUp() {
                readersRest = false;
                kept.forEach(due -> readers.forEach(reader -> reader.accept(due)));
                kept.clear();
            }
        };
        List<String> lines = new ArrayList<>();
        var loop = new OpenLoop(
                url -> lazy,
                line -> {
                    lines.add(line);
                    if (line.startsWith("reading")) {
                        lazy.catchUp();
                    }
                },
                2);
        RunResult result = loop.drive("s", 1, workload(0, 1000).withWarmUp(3), SUBJECT, "fake://", 0);
        assertThat(result.failure()).isNull();
        assertThat(lines).anyMatch(line -> line.startsWith("reading"));
        assertThat(lazy.deferred).isPositive();
        assertThat(result.series()).allMatch(second -> second.backlog() < lazy.deferred);
    }

    /** A build before warmth was kept. */
    @Test
    void resultsThatDoNotSayHowWarmTheyWereAreCold() throws Exception {
        ResultFiles.write(folder, List.of(drive(new Fake(), workload(0, 100))));
        Path file = folder.resolve("results.json");
        Files.writeString(file, Files.readString(file).replaceAll("\"warmth\" : \\{[^}]*},", ""));
        assertThat(ResultFiles.read(folder))
                .singleElement()
                .satisfies(result -> assertThat(result.warmth()).isEqualTo(Warmth.NONE));
    }

    @Test
    void resultsAreReadBackAsTheyWereWritten() throws Exception {
        RunResult result = drive(new Fake(), workload(0, 100));
        ResultFiles.write(folder, List.of(result));
        assertThat(ResultFiles.read(folder)).containsExactly(result);
        assertThat(Files.readAllLines(folder.resolve("results.csv"))).hasSize(2);
        assertThat(Files.readAllLines(folder.resolve("series.csv"))).hasSize(3);
    }
}
