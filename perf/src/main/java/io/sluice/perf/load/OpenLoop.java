package io.sluice.perf.load;

import io.sluice.perf.compare.LoadDriver;
import io.sluice.perf.compare.Turn;
import io.sluice.perf.driver.Target;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.result.MachineUse;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Subject;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Workload;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Drives one workload against one server.
 *
 * <pre>
 *   topics ─► consumers ─► producers ─► warm-up ─► measured time ─► producers stop ─► all is read?
 *   with a backlog:        smaller ones, for the time of the warm-up
 *                          producers flat out, tail consumers ─► backlog is there ─► their rate ─► late consumers
 *                          ─► measured time, until they have caught up ─► ...
 * </pre>
 *
 * A warm-up is the load itself. Readers that cannot keep up are waited for every few seconds, so that the measured time does not
 * begin with a minute's backlog.
 */
public final class OpenLoop implements LoadDriver {
    private static final int MOST_BACKLOG_SECONDS = 3_600;
    private static final int MOST_CATCH_UP_SECONDS = 60;
    private static final int WARM_UP_PIECE_SECONDS = 15;
    /** Largest backlog that only warms up; the measured one may be as large as the disk. */
    private static final double MOST_WARM_UP_GB = 1;
    /** At the load's rate, between the filling of a backlog and its readers' start. */
    private static final int MOST_SETTLE_SECONDS = 10;

    private static final String HEAP_TOO_SMALL =
            "the client ran out of heap; give it more, for example SLUICE_PERF_JVM_OPTS=-Xmx8g";
    private static final AtomicLong RUNS = new AtomicLong(System.currentTimeMillis());

    private final Connector connector;
    private final Consumer<String> progress;
    private final int pieceSeconds;

    /** Makes the client for an address. */
    public interface Connector {
        Target connect(String url) throws Exception;
    }

    /**
     * @param connector for example {@link io.sluice.perf.driver.Targets#connect}
     * @param progress gets a line per second
     */
    public OpenLoop(Connector connector, Consumer<String> progress) {
        this(connector, progress, WARM_UP_PIECE_SECONDS);
    }

    /** @param pieceSeconds of a warm-up, after which readers are waited for if they are behind */
    OpenLoop(Connector connector, Consumer<String> progress, int pieceSeconds) {
        this.connector = connector;
        this.progress = progress;
        this.pieceSeconds = pieceSeconds;
    }

    @Override
    public RunResult drive(Turn turn, Subject subject, String target, long pid) throws InterruptedException {
        return drive(turn.suite(), turn.round(), turn.workload(), subject, target, pid);
    }

    @Override
    public RunResult notStarted(Turn turn, String why) {
        var counts = new Counts();
        var nothing = new Observation(turn.workload(), counts, new ServerProcess(0), progress);
        var subject =
                new Subject(turn.entrant().contender().name(), turn.entrant().protocol(), "", Map.of());
        return result(turn.suite(), turn.round(), Instant.now(), subject, turn.workload(), nothing, unknown(), why);
    }

    /** See {@link LoadDriver#drive}. */
    public RunResult drive(String suite, int round, Workload workload, Subject subject, String url, long pid)
            throws InterruptedException {
        Instant started = Instant.now();
        var counts = new Counts();
        var seen = new Observation(workload, counts, new ServerProcess(pid), progress);
        Subject described = subject;
        if (workload.consumerBacklogSizeGB() > 0 && workload.warmupDurationSeconds() > 0) {
            RunResult warmUp = warmUpByBacklogs(suite, round, workload, subject, url, pid);
            if (warmUp.failure() != null) {
                String why = "in the warm-up: " + warmUp.failure();
                return result(suite, round, started, warmUp.subject(), workload, seen, unknown(), why);
            }
            seen.warmedBy(warmUp.warmthAfter());
        }
        try (Target target = connector.connect(url)) {
            Map<String, String> settings = new HashMap<>(subject.settings());
            settings.putAll(target.clientSettings());
            settings.put("client batching", workload.batching().text());
            described = new Subject(subject.name(), subject.protocol(), subject.version(), settings);
            Figures figures = drive(workload, target, counts, seen);
            return result(
                    suite, round, started, described, workload, seen, figures, failure(workload, counts, figures));
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return result(suite, round, started, described, workload, seen, unknown(), oneLine(e));
        } catch (OutOfMemoryError e) {
            // All that the client held is garbage by now, so the next load has the heap to itself.
            return result(suite, round, started, described, workload, seen, unknown(), HEAP_TOO_SMALL);
        }
    }

    private Figures drive(Workload workload, Target target, Counts counts, Observation seen) throws Exception {
        List<String> topics = topics(workload);
        target.createTopics(topics, workload.partitionsPerTopic());
        boolean backlog = workload.consumerBacklogSizeGB() > 0;
        int tail = workload.subscriptionsPerTopic() - workload.lateSubscriptions();
        consume(workload, target, topics, 0, tail, counts::consumed);
        List<Producing> producers = producers(workload, target, topics, counts);
        double rate = (double) workload.producerRate() / producers.size();
        try {
            if (backlog) {
                producers.forEach(Producing::start);
                awaitBacklog(workload, counts, seen);
                if (rate > 0) {
                    producers.forEach(producer -> producer.rate(rate));
                    seen.warm("settling", Math.min(MOST_SETTLE_SECONDS, workload.warmupDurationSeconds()), () -> false);
                }
                return drain(workload, target, topics, counts, seen);
            }
            producers.forEach(producer -> producer.rate(rate));
            producers.forEach(Producing::start);
            warmUp(workload, producers, counts, seen);
            seen.forget();
            seen.measure("load   ", workload.testDurationSeconds(), () -> false);
            return seen.figures(Double.NaN, Double.NaN);
        } finally {
            producers.forEach(Producing::stop);
            for (Producing producer : producers) {
                producer.close();
            }
            seen.pass("reading", MOST_CATCH_UP_SECONDS, () -> missing(workload, counts) <= 0);
        }
    }

    /** The last of smaller loads of the same kind, one after the other, or the one that failed; warmed by those before it. */
    private RunResult warmUpByBacklogs(
            String suite, int round, Workload workload, Subject subject, String url, long pid)
            throws InterruptedException {
        Workload small =
                workload.withWarmUp(0).withBacklog(Math.min(MOST_WARM_UP_GB, workload.consumerBacklogSizeGB()));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2L * workload.warmupDurationSeconds());
        RunResult last;
        Warmth warmth = Warmth.NONE;
        do {
            last = drive(suite, round, small, subject, url, pid).warmedBy(warmth);
            warmth = last.warmthAfter();
        } while (last.failure() == null
                && warmth.seconds() < workload.warmupDurationSeconds()
                && System.nanoTime() < end);
        return last;
    }

    private void warmUp(Workload workload, List<Producing> producers, Counts counts, Observation seen) {
        int left = workload.warmupDurationSeconds();
        for (; left > pieceSeconds; left -= pieceSeconds) {
            long before = counts.acknowledged();
            seen.warm("warm-up", pieceSeconds, () -> false);
            long perSecond = (counts.acknowledged() - before) / pieceSeconds;
            if (missing(workload, counts) > perSecond * workload.subscriptionsPerTopic()) {
                producers.forEach(Producing::pause);
                seen.pass("reading", MOST_CATCH_UP_SECONDS, () -> missing(workload, counts) <= 0);
                producers.forEach(Producing::resume);
            }
        }
        seen.warm("warm-up", left, () -> false);
    }

    private static void awaitBacklog(Workload workload, Counts counts, Observation seen) throws InterruptedException {
        long wanted = backlog(workload);
        seen.warm("backlog", MOST_BACKLOG_SECONDS, () -> counts.acknowledged() >= wanted);
    }

    /** Records. */
    private static long backlog(Workload workload) {
        return (long) (workload.consumerBacklogSizeGB() * 1e9 / workload.messageSize());
    }

    private static Figures drain(Workload workload, Target target, List<String> topics, Counts counts, Observation seen)
            throws Exception {
        seen.forget();
        long start = System.nanoTime();
        int all = workload.subscriptionsPerTopic();
        int late = workload.lateSubscriptions();
        consume(workload, target, topics, all - late, all, due -> counts.consumedLate());
        // Caught up: no more is missing than what is on its way at any time.
        long onItsWay = Math.max(backlog(workload) / 100, workload.producerRate());
        seen.measure("drain  ", workload.testDurationSeconds(), () -> notDrained(workload, counts) <= onItsWay);
        boolean drained = notDrained(workload, counts) <= onItsWay;
        double seconds = (System.nanoTime() - start) / 1e9;
        double perSecond = (double) counts.late() / Math.max(1, late) / seconds;
        return seen.figures(drained ? seconds : Double.NaN, perSecond);
    }

    private static long missing(Workload workload, Counts counts) {
        return counts.acknowledged() * workload.subscriptionsPerTopic() - counts.consumed();
    }

    private static long notDrained(Workload workload, Counts counts) {
        return counts.acknowledged() * workload.lateSubscriptions() - counts.late();
    }

    private static List<String> topics(Workload workload) {
        String run = "perf-" + Long.toString(RUNS.incrementAndGet(), Character.MAX_RADIX);
        return IntStream.range(0, workload.topics())
                .mapToObj(topic -> run + "-" + topic)
                .toList();
    }

    /** @param each gets when each record was due */
    private static void consume(
            Workload workload, Target target, List<String> topics, int from, int to, LongConsumer each)
            throws Exception {
        boolean alone = workload.consumerPerSubscription() == 1;
        for (String topic : topics) {
            for (int subscription = from; subscription < to; subscription++) {
                for (int consumer = 0; consumer < workload.consumerPerSubscription(); consumer++) {
                    target.consume(topic, "sub-" + subscription, alone, workload.sharing(), each);
                }
            }
        }
    }

    private static List<Producing> producers(Workload workload, Target target, List<String> topics, Counts counts)
            throws Exception {
        List<Producing> producers = new ArrayList<>();
        for (String topic : topics) {
            for (int producer = 0; producer < workload.producersPerTopic(); producer++) {
                var payloads = new Payloads(workload, producers.size());
                producers.add(new Producing(target.producer(topic, workload.batching()), payloads, counts));
            }
        }
        return producers;
    }

    private static @Nullable String failure(Workload workload, Counts counts, Figures figures) {
        Throwable failed = counts.failure();
        if (failed != null) {
            return counts.failed() + " records were not acknowledged: " + oneLine(failed);
        }
        long missing = missing(workload, counts);
        if (missing > 0) {
            return missing + " of " + counts.acknowledged() * workload.subscriptionsPerTopic()
                    + " acknowledged records were not read";
        }
        boolean endless = workload.consumerBacklogSizeGB() > 0 && Double.isNaN(figures.backlogDrainSeconds());
        return endless ? "the backlog was not drained within " + workload.testDurationSeconds() + " s" : null;
    }

    private static String oneLine(Throwable e) {
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message.replaceAll("\\s+", " ");
    }

    private static Figures unknown() {
        return new Figures(
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Counts.latency(new Histogram(1)),
                Counts.latency(new Histogram(1)),
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                -1,
                -1,
                Double.NaN,
                0,
                MachineUse.UNKNOWN);
    }

    private static RunResult result(
            String suite,
            int round,
            Instant started,
            Subject subject,
            Workload workload,
            Observation seen,
            Figures figures,
            @Nullable String failure) {
        return new RunResult(
                suite,
                round,
                started,
                ThisMachine.describe(),
                ThisMachine.commit(),
                subject,
                workload,
                seen.warmth(),
                figures,
                seen.series(),
                failure);
    }
}
