package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.ModelState.Op;
import io.sluice.tiering.ModelState.Seg;
import io.sluice.tiering.collect.CollectPolicy;
import io.sluice.tiering.flush.FlushPolicy;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.format.StoredIndex;
import io.sluice.tiering.merge.MergePolicy;
import io.sluice.tiering.objectstore.FakeObjectStore;
import io.sluice.tiering.objectstore.FakeObjectStore.Call;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import io.sluice.tiering.objectstore.StoredObject;
import io.sluice.tiering.read.ReadPolicy;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Completions;
import io.sluice.tiering.task.Surroundings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;

/** A container's tier with everything around it, one thread, one seed. */
final class TierWorld {
    static final FlushPolicy FLUSH = new FlushPolicy(150_000, 600_000, 5_000, 300_000, 3);
    static final TieringConfig CONFIG = new TieringConfig(
            FLUSH,
            new MergePolicy(3, 2, 30_000, 120_000, 40_000, 2, 2, 400, 1_000, 1L << 40, 1_000, 0.9),
            new ReadPolicy(130_000, 300_000, 2, 2, 20, 50, 0, 1_200_000, 1_200_000, 5_000, 4),
            new CollectPolicy(1_000, 300, 3),
            new Backoff(50, 1_000),
            new Backoff(20, 100));

    private final TieringConfig config;
    final SplittableRandom random;
    final SteppedTasks tasks;
    final FakeObjectStore store = new FakeObjectStore();
    final Semaphore merges = new Semaphore(CONFIG.merge().jobs());
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    final List<CollectedReply> replies = new ArrayList<>();
    final List<FakeTierHost> hosts = new ArrayList<>();
    final List<String> puts = new ArrayList<>();
    FakeTierHost host;
    ObjectTier tier;
    long now = 1_000_000;
    int faultsPerThousand;
    /** Bytes of segments in all objects that were committed, by flushes and merges. */
    long storedBytes;

    TierWorld(long seed) {
        this(seed, CONFIG);
    }

    TierWorld(long seed, ReadPolicy read) {
        this(
                seed,
                new TieringConfig(
                        FLUSH, CONFIG.merge(), read, CONFIG.collect(), CONFIG.writeBackoff(), CONFIG.readBackoff()));
    }

    private TierWorld(long seed, TieringConfig config) {
        this.config = config;
        random = new SplittableRandom(seed);
        tasks = new SteppedTasks(random);
        host = new FakeTierHost(random);
        store.faults(this::fault);
        tier = open();
    }

    private ObjectTier open() {
        hosts.add(host);
        host.onCommit = ranges ->
                storedBytes += ranges.stream().mapToLong(TierRange::length).sum();
        return new ObjectTier(
                new Surroundings(host, store, tasks, new Completions(host), random.split(), allocator), config, merges);
    }

    private Fault fault(Call call, String name) {
        if (call == Call.PUT) {
            long object = Long.parseUnsignedLong(name.substring(name.lastIndexOf('/') + 1), 16);
            assertThat(hosts.stream().anyMatch(any -> any.intentIsDurable(object)))
                    .as("intent of %s is durable before its upload", name)
                    .isTrue();
            puts.add(name);
        }
        Fault[] all = Fault.values();
        return random.nextInt(1000) < faultsPerThousand ? all[random.nextInt(all.length)] : Fault.NONE;
    }

    void append(long segment, int length) {
        host.sequence(new Op.Append(segment, length, now), Durable.IGNORED);
    }

    /** One turn of the loop. */
    void turn() {
        host.runPosted();
        tier.doWork(now);
        assertThat(host.pinnedBytes()).isLessThanOrEqualTo((long) FLUSH.objectBytes() * FLUSH.uploads());
        assertThat(tasks.waiting("read ")).isLessThanOrEqualTo(2L * hosts.size());
    }

    /** Time passes and everything that was started comes to its end. */
    void settle(long millis) {
        for (long end = now + millis; now < end; now += 50) {
            turn();
            host.makeDurable(Integer.MAX_VALUE);
            tasks.runAll();
            host.runPosted();
        }
    }

    CollectedReply read(long segment, long position, int maxBytes) {
        CollectedReply reply = new CollectedReply(segment, position, again -> {
            if (host.tiered(segment, position) == null) {
                again.failed(new StoreFailure.NoSuchSegment(segment, "gone meanwhile"));
            } else {
                tier.read(segment, position, maxBytes, again);
            }
        });
        replies.add(reply);
        tier.read(segment, position, maxBytes, reply);
        return reply;
    }

    void crash() {
        tier.close();
        host = host.crash();
        tier = open();
    }

    /** Everything that must hold at rest. Ends the world. */
    void check() {
        for (StoredObject object : store.list("", "", Integer.MAX_VALUE)) {
            long number =
                    Long.parseUnsignedLong(object.name().substring(object.name().lastIndexOf('/') + 1), 16);
            assertThat(object.name()).isEqualTo(ObjectNames.of(host.container(), number));
            StoredIndex.verify(host.container(), number, store.stored(object.name()));
        }
        host.state().segments.forEach(this::readsBack);
        tier.close();
        tasks.runAll();
        assertThat(replies).allMatch(CollectedReply::answered);
        assertThat(merges.availablePermits()).isEqualTo(CONFIG.merge().jobs());
        hosts.forEach(each -> assertThat(each.pinnedBytes()).as("pinned").isZero());
        assertThat(allocator.metric().usedDirectMemory()).as("leaked").isZero();
        assertThat(allocator.metric().usedHeapMemory()).as("leaked").isZero();
    }

    /** No object but those that are referenced. */
    void nothingOrphaned() {
        Set<String> expected = new HashSet<>();
        host.state().referenced().forEach(object -> expected.add(ObjectNames.of(host.container(), object)));
        Set<String> stored = new HashSet<>();
        store.list("", "", Integer.MAX_VALUE).forEach(object -> stored.add(object.name()));
        assertThat(stored).isEqualTo(expected);
        assertThat(host.state().intents).isEmpty();
        assertThat(host.state().committed).isEqualTo(host.state().referenced());
    }

    private void readsBack(long segment, Seg seg) {
        long position = seg.start;
        assertThat(seg.tiered).as("segment %s is all in the tier", segment).isGreaterThanOrEqualTo(seg.length);
        while (position < seg.tiered) {
            CollectedReply reply = read(segment, position, 1 + random.nextInt(400_000));
            for (int i = 0; !reply.answered() && i < 1000; i++) {
                settle(50);
            }
            assertThat(reply.failure).isNull();
            position += reply.length;
        }
    }
}
