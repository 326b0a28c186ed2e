package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentRiderFactory;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A container on one thread, its log and tier in memory. */
final class ContainerRig implements AutoCloseable {
    static final int CONTAINER = 7;
    static final byte KIND = 1;

    final InMemoryObjects objects = new InMemoryObjects();
    final List<String> events = new ArrayList<>();
    final List<StreamingCache> caches = new ArrayList<>();
    final InMemoryWalStore wal;
    ContainerConfig config = ContainerConfig.DEFAULT;
    long cacheBytes = 96 << 20;
    /** In place of {@link #cacheBytes}. */
    @Nullable
    CacheConfig cacheConfig;

    InMemoryTier.Faults tierFaults = new InMemoryTier.Faults() {
        @Override
        public boolean flush(long untiered, double pressure) {
            return false;
        }
    };
    AcknowledgedEnds ends = AcknowledgedEnds.NONE;
    boolean errorsEndTerms;
    SegmentRiderFactory riders = ModelRider::create;
    long now = 1_700_000_000_000_000L;
    private final List<Container> all = new ArrayList<>();
    private @Nullable Container container;

    ContainerRig() {
        this(new InMemoryWalStore());
    }

    ContainerRig(InMemoryWalStore wal) {
        this.wal = wal;
    }

    /** A new owner; the one before notices at its next append. */
    Container open() {
        StreamingCache cache = new StreamingCache(cacheConfig == null ? new CacheConfig(cacheBytes) : cacheConfig);
        caches.add(cache);
        ContainerParts parts = new ContainerParts(
                wal,
                cache,
                riders,
                host -> new InMemoryTier(host, objects, tierFaults),
                (name, task) -> task.run(),
                ends);
        Container opened = new Container(CONTAINER, config, parts, new ContainerListener() {
            @Override
            public void lost(Container which, Map<Long, Long> bytes) {
                events.add("lost " + bytes);
            }

            @Override
            public void serving(Container which) {
                events.add("serving " + which.term());
            }

            @Override
            public void stopped(Container which, String why) {
                events.add("stopped " + which.term() + ": " + why);
                if (which.failure() instanceof Error seen && !errorsEndTerms) {
                    throw seen; // most likely an assertion that failed on the loop
                }
            }
        });
        container = opened;
        all.add(opened);
        opened.open();
        settle(opened);
        return opened;
    }

    Container container() {
        assertThat(container).isNotNull();
        return Objects.requireNonNull(container);
    }

    /** Turns until nothing is left to do. */
    void settle(Container which) {
        for (int idle = 0; idle < 3; ) {
            now += 100;
            idle = which.doWork(now) == 0 ? idle + 1 : 0;
        }
    }

    void settle() {
        settle(container());
    }

    void pass(long micros) {
        now += micros;
        container().doWork(now);
    }

    void create(long segment) {
        Outcome outcome = new Outcome();
        container().segments().create(segment, KIND, Unpooled.copiedBuffer(new byte[] {9, 9}), outcome);
        settle();
        assertThat(outcome.result).isEqualTo("durable");
    }

    Outcome append(long segment, byte[] bytes) {
        Outcome outcome = new Outcome();
        ByteBuf data = Unpooled.wrappedBuffer(bytes);
        container().segments().append(segment, data, outcome);
        return outcome;
    }

    /** The bytes at a position, or the failure's class name. */
    Object read(long segment, long position, int max) {
        Object[] result = new Object[1];
        container().segments().read(segment, position, max, new ReadReply() {
            @Override
            public void data(long from, ByteBuf data) {
                byte[] bytes = new byte[data.readableBytes()];
                data.readBytes(bytes);
                data.release();
                result[0] = bytes;
            }

            @Override
            public void failed(StoreFailure why) {
                result[0] = why.getClass().getSimpleName();
            }
        });
        settle();
        return Objects.requireNonNull(result[0], "no answer");
    }

    /** All bytes of {@code [from, to)}, in as many reads as it takes. */
    byte[] readAll(long segment, long from, long to) {
        ByteBuf all = Unpooled.buffer();
        while (from + all.readableBytes() < to) {
            Object part = read(segment, from + all.readableBytes(), (int) (to - from - all.readableBytes()));
            assertThat(part).isInstanceOf(byte[].class);
            all.writeBytes((byte[]) part);
        }
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        return bytes;
    }

    static byte[] random(long seed, int size) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Stops all owners and checks that they gave everything back. */
    @Override
    public void close() {
        for (Container each : all) {
            each.close();
            settle(each);
            assertThat(each.finished()).isTrue();
        }
        caches.forEach(StreamingCache::close);
    }

    static final class Outcome implements Durable {
        String result = "pending";

        @Override
        public void durable() {
            assertThat(result).isEqualTo("pending");
            result = "durable";
        }

        @Override
        public void failed(StoreFailure why) {
            assertThat(result).isEqualTo("pending");
            result = "failed " + why.getClass().getSimpleName();
        }
    }
}
