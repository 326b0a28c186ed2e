package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.container.ModelRider;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * One container with its real tier over a {@link SimulatedLink}, and producers that offer more than it takes; simulated time
 * in steps of a millisecond, one seed. Each producer has so many requests of 8 KiB under way at most.
 */
final class LimitedTierWorld implements AutoCloseable {
    static final int REQUEST_BYTES = 8 << 10;
    private static final int CONTAINER = 7;
    private static final int SEGMENTS = 16;
    private static final long STEP_MICROS = 1_000;
    private static final long LOG_MICROS = 1_000;
    private static final long RETRY_MICROS = 100_000;

    /** The world's size. */
    record Sizes(ContainerConfig.Log log, long cacheBytes, PressureConfig pressure, TieringConfig tier) {}

    private final SplittableRandom random;
    private final ContainerConfig config;
    private final StreamingCache cache;
    private final LockstepThreads threads = new LockstepThreads();
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();
    private final List<Producer> producers = new ArrayList<>();
    private final ByteBuf payload = Unpooled.directBuffer().writeZero(REQUEST_BYTES);
    final SimulatedLink link;
    final Container container;
    long now = 1_700_000_000_000_000L;
    long admittedBytes;
    long refusals;
    long worstMicros;

    private record Answer(long at, Runnable delivery) {}

    LimitedTierWorld(long seed, Sizes sizes, SimulatedLink.Sharing sharing, double tierBytesPerSecond) {
        random = new SplittableRandom(seed);
        link = new SimulatedLink(threads, sharing, tierBytesPerSecond);
        link.advance(now);
        cache = new StreamingCache(new CacheConfig(sizes.cacheBytes()));
        ContainerConfig defaults = ContainerConfig.DEFAULT;
        config = new ContainerConfig(
                sizes.log(),
                1 << 20,
                defaults.appendDeadlineMicros(),
                defaults.closeDeadlineMicros(),
                sizes.pressure(),
                defaults.reads());
        var wal = new InMemoryWalStore(new InMemoryWalStore.Faults() {
            @Override
            public void answer(Runnable delivery) {
                answers.add(new Answer(now + LOG_MICROS, delivery));
            }
        });
        var tier = new ObjectTierFactory(link, threads, sizes.tier(), seed);
        container = new Container(
                CONTAINER,
                config,
                new ContainerParts(wal, cache, ModelRider::create, tier, threads),
                new ContainerListener() {
                    @Override
                    public void serving(Container which) {}

                    @Override
                    public void stopped(Container which, String why) {
                        if (!why.equals("closed")) {
                            throw new AssertionError(why);
                        }
                    }
                });
        container.open();
        run(100_000);
        for (int segment = 1; segment <= SEGMENTS; segment++) {
            container.segments().create(segment, (byte) 1, Unpooled.wrappedBuffer(new byte[2]), Durable.IGNORED);
        }
        run(100_000);
    }

    /** Producers that together offer {@code bytesPerSecond}. */
    void produce(int count, int requestsUnderWay, double bytesPerSecond) {
        for (int i = 0; i < count; i++) {
            producers.add(new Producer(requestsUnderWay, REQUEST_BYTES * count / bytesPerSecond * 1e6));
        }
    }

    void run(long micros) {
        for (long end = now + micros; now < end; ) {
            now += STEP_MICROS;
            for (Answer answer = answers.peek(); answer != null && answer.at <= now; answer = answers.peek()) {
                answers.remove();
                answer.delivery.run();
            }
            link.advance(now);
            producers.forEach(Producer::send);
            for (int turns = 0; turns < 8 && container.doWork(now) > 0; turns++) {
                // until there is no more to do
            }
        }
    }

    ContainerStats stats() {
        return Objects.requireNonNull(container.stats());
    }

    /** Sends when the next request is due and there is room for it. */
    private final class Producer {
        private final int mostUnderWay;
        private final double interval;
        private double dueAt = now;
        private int underWay;

        Producer(int mostUnderWay, double interval) {
            this.mostUnderWay = mostUnderWay;
            this.interval = interval;
        }

        void send() {
            // what it could not send in time waits in its buffer, a second's worth at most
            dueAt = Math.max(dueAt, now - 1_000_000.0);
            while (dueAt <= now && underWay < mostUnderWay) {
                dueAt += interval * (0.5 + random.nextDouble());
                underWay++;
                container.segments().executeAppend(new Request(now));
            }
        }

        private final class Request implements LoopTask, Durable {
            private final long sentAt;

            Request(long sentAt) {
                this.sentAt = sentAt;
            }

            @Override
            public void run() {
                container.segments().append(1 + random.nextInt(SEGMENTS), payload, this);
            }

            @Override
            public void abandoned(StoreFailure why) {
                refusals++;
                underWay--;
                dueAt = now + RETRY_MICROS;
            }

            @Override
            public void durable() {
                admittedBytes += REQUEST_BYTES;
                worstMicros = Math.max(worstMicros, now - sentAt);
                underWay--;
            }

            @Override
            public void failed(StoreFailure why) {
                underWay--;
            }
        }
    }

    @Override
    public void close() {
        producers.clear();
        link.limit(1e12);
        container.close();
        for (int i = 0; i < 10_000 && !container.finished(); i++) {
            run(1_000);
        }
        if (!container.finished()) {
            throw new AssertionError("the container does not finish");
        }
        cache.close();
        payload.release();
    }
}
