package io.sluice.perf.scaling;

import io.sluice.perf.driver.Target;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Looks once a second how a topic lies, from its creation on. One thread looks; any may ask. */
final class SpreadWatch implements AutoCloseable {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final String http;
    private final UnaryOperator<String> full;
    private final Consumer<String> progress;
    private final List<Seen> seen = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().name("watch").unstarted(this::run);
    private volatile @Nullable String topic;
    private volatile boolean stopping;

    /** @param nanos of {@link System#nanoTime} */
    record Seen(long nanos, TopicSpread spread) {}

    /** @param full from the name that a target is given to the one that the server describes */
    SpreadWatch(String http, UnaryOperator<String> full, Consumer<String> progress) {
        this.http = http;
        this.full = full;
        this.progress = progress;
    }

    /** The same target; when it makes a topic this begins. */
    Target begunBy(Target target) {
        return new Beginning(target);
    }

    private void run() {
        int ranges = 0;
        for (long next = System.nanoTime(); !stopping; next += SECOND) {
            LockSupport.parkNanos(next - System.nanoTime());
            try {
                TopicSpread spread = TopicSpread.look(http, full.apply(String.valueOf(topic)));
                synchronized (this) {
                    seen.add(new Seen(System.nanoTime(), spread));
                }
                if (spread.ranges() != ranges) {
                    ranges = spread.ranges();
                    progress.accept("  %d ranges in %d containers".formatted(ranges, spread.containers()));
                }
            } catch (IOException e) {
                progress.accept("  not described: " + e.getMessage());
            }
        }
    }

    synchronized List<Seen> seen() {
        return List.copyOf(seen);
    }

    synchronized int ranges() {
        return seen.isEmpty() ? 0 : seen.getLast().spread().ranges();
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        thread.join();
    }

    private final class Beginning implements Target {
        private final Target target;

        Beginning(Target target) {
            this.target = target;
        }

        @Override
        public Map<String, String> clientSettings() {
            return target.clientSettings();
        }

        @Override
        public void createTopics(List<String> topics, int partitions) throws Exception {
            target.createTopics(topics, partitions);
            topic = topics.getFirst();
            thread.start();
        }

        @Override
        public Sender producer(String of, Batching batching) throws Exception {
            return target.producer(of, batching);
        }

        @Override
        public void consume(String of, String subscription, boolean alone, Sharing sharing, LongConsumer each)
                throws Exception {
            target.consume(of, subscription, alone, sharing, each);
        }

        @Override
        public void close() throws Exception {
            target.close();
        }
    }
}
