package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.ModelRider;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.StateReplay;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.tiering.audit.TierAudit;
import io.sluice.tiering.collect.CollectPolicy;
import io.sluice.tiering.flush.FlushPolicy;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.merge.MergePolicy;
import io.sluice.tiering.objectstore.FakeObjectStore;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.filesystem.DirectoryObjectStore;
import io.sluice.tiering.read.ReadPolicy;
import io.sluice.tiering.task.Backoff;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real container over this tier: several times what the cache holds, owners that die, everything read back. */
final class ContainerOverTierTest {
    private static final int MIB = 1 << 20;
    private static final TieringConfig CONFIG = new TieringConfig(
            new FlushPolicy(MIB, 8 * MIB, 600_000, 2 * MIB, 3),
            new MergePolicy(3, 2, 512 << 10, 2 * MIB, MIB, 2, 2, 500, 1_000, 1L << 40, 1_000, 0.9),
            new ReadPolicy(256 << 10, 256 << 10, 4, 8, 16, 100, 64 << 10, MIB, 4 * MIB, 5_000, 5),
            new CollectPolicy(2_000, 500, 10),
            new Backoff(50, 1_000),
            new Backoff(20, 200));

    private final SplittableRandom random = new SplittableRandom(11);
    private final SteppedTasks tasks = new SteppedTasks(random);
    private final InMemoryWalStore wal = new InMemoryWalStore();
    private final List<Container> owners = new ArrayList<>();
    private final List<StreamingCache> caches = new ArrayList<>();
    private final long[] appended = new long[6];
    private long now = 1_700_000_000_000_000L;
    private @Nullable ObjectStore store;

    @Test
    void readsEverythingBackAfterOwnersDied() {
        FakeObjectStore objects = new FakeObjectStore();
        store = objects;
        open();
        create();
        for (int round = 0; round < 4; round++) {
            boolean faulty = round % 2 == 1;
            objects.faults((call, name) ->
                    faulty && random.nextInt(4) == 0 ? Fault.values()[1 + random.nextInt(3)] : Fault.NONE);
            fill(14 * MIB);
            if (round < 3) {
                open(); // the owner before is fenced where it stands
            }
        }
        objects.faults((call, name) -> Fault.NONE);
        settle(5_000);
        assertThat(objects.list("", "", 1000)).hasSizeGreaterThan(10);
        assertThat(wal.chain(7)).hasSizeLessThan(8);
        readAll();
        deleteAllLeavesNoObject(objects);
    }

    @Test
    void bytesStoredPastTheLogAreReadBackAfterOwnersDied() {
        FakeObjectStore objects = new FakeObjectStore();
        store = objects;
        open();
        create();
        for (int round = 0; round < 3; round++) {
            objects.faults((call, name) -> random.nextInt(4) == 0 ? Fault.UNAVAILABLE : Fault.NONE);
            fill(3 * MIB);
            store(5, 700_000);
            store(5, 1);
            long log = wal.chain(7).size();
            store(5, 4 * MIB);
            assertThat(wal.chain(7)).as("nothing of it went into the log").hasSize((int) log);
            open(); // the owner before is fenced where it stands
        }
        objects.faults((call, name) -> Fault.NONE);
        settle(5_000);
        readAll();
        deleteAllLeavesNoObject(objects);
    }

    private void store(int segment, int length) {
        ByteBuf data = Unpooled.wrappedBuffer(ModelState.bytes(segment, appended[segment], length));
        boolean[] done = new boolean[1];
        owner().segments().store(segment, data, Durable.of(() -> done[0] = true, why -> {
            throw new AssertionError(why.message());
        }));
        while (!done[0]) {
            settle(10);
        }
        appended[segment] += length;
    }

    @Test
    void worksOverADirectory(@TempDir Path folder) throws Exception {
        store = DirectoryObjectStore.open(folder);
        open();
        create();
        fill(20 * MIB);
        open();
        settle(3_000);
        readAll();
        deleteAllLeavesNoObject(store);
    }

    @Test
    void anAuditFindsWhatNobodyReferencesAndWhatIsMissing() throws Exception {
        FakeObjectStore objects = new FakeObjectStore();
        store = objects;
        open();
        create();
        fill(20 * MIB);
        // a crash after the upload and before its commit
        int before = objects.list("", "", 1_000).size();
        for (int i = 0; objects.list("", "", 1_000).size() == before; i++) {
            assertThat(i).isLessThan(10_000);
            append(1, 90_000);
        }
        TierAudit.Report report = audit(objects);
        assertThat(report.missing()).isEmpty();
        assertThat(report.foreign()).isEmpty();
        assertThat(report.objects()).isPositive();
        assertThat(report.orphans()).isNotEmpty();

        objects.put("c7/0000000000abc/0000000000abcdef", Unpooled.wrappedBuffer(new byte[9]));
        objects.put("c99/0000000000abc/0000000000abcdef", Unpooled.wrappedBuffer(new byte[9]));
        objects.put("notes/of-somebody-else", Unpooled.wrappedBuffer(new byte[9]));
        report = audit(objects);
        assertThat(report.orphans()).extracting("name").contains("c7/0000000000abc/0000000000abcdef");
        assertThat(report.foreign()).hasSize(2);
        new TierAudit(objects, 8).remove(report);
        assertThat(audit(objects).orphans()).isEmpty();
        open();
        settle(5_000);
        readAll();

        TierRange range = rangesInLog().getFirst();
        objects.delete(List.of(ObjectNames.of(7, range.object())));
        report = audit(objects);
        assertThat(report.missing()).hasSize(1);
        assertThat(report.missing().getFirst().ranges()).contains(range);
    }

    /** Of 64 KiB each. */
    private static final int STEPS = 32;

    @Test
    void whoReadsAloneLeavesTheCacheToOthers() {
        long alone = readsAlone();
        long before = tierReads();
        readStep(16);
        readStep(20);
        readStep(24);
        assertThat(tierReads() - before).isGreaterThanOrEqualTo(3);
        assertThat(alone).isGreaterThanOrEqualTo(STEPS);
    }

    @Test
    void whatOneHasReadOthersWhoFollowFindInTheCache() {
        long alone = readsAlone();
        open();
        long before = tierReads();
        int behind = 4;
        for (int step = 0; step < STEPS + behind; step++) {
            if (step < STEPS) {
                readStep(step);
            }
            if (step >= behind) {
                readStep(step - behind);
            }
        }
        assertThat(tierReads() - before).isBetween((long) STEPS, alone + 3L * behind);
    }

    /** Reads from long-term storage that it takes to read the first segment, which the second drove out of the cache. */
    private long readsAlone() {
        store = new FakeObjectStore();
        open();
        create();
        for (int i = 0; i < 30; i++) {
            append(1, 100_000);
        }
        for (int i = 0; i < 450; i++) {
            append(2, 100_000);
        }
        settle(5_000);
        long before = tierReads();
        for (int step = 0; step < STEPS; step++) {
            readStep(step);
        }
        return tierReads() - before;
    }

    private void readStep(int step) {
        long end = (step + 1) * 65_536L;
        for (long position = step * 65_536L; position < end; ) {
            position += read(1, position, (int) (end - position));
        }
    }

    private long tierReads() {
        settle(200);
        return Objects.requireNonNull(owner().stats()).tierReads();
    }

    private TierAudit.Report audit(ObjectStore objects) throws Exception {
        TierAudit audit = new TierAudit(objects, 8);
        rangesInLog().forEach(range -> audit.expect(7, range));
        return audit.compare();
    }

    /** Takes the log over: the owner before is fenced. */
    private List<TierRange> rangesInLog() throws Exception {
        try (Wal log = wal.open(7)) {
            ContainerState state = StateReplay.of(log);
            List<TierRange> ranges = new ArrayList<>();
            for (long segment : state.segments()) {
                ranges.addAll(Objects.requireNonNull(state.segment(segment)).manifest());
            }
            return ranges;
        }
    }

    @AfterEach
    void everythingIsGivenBack() {
        for (Container owner : owners) {
            owner.close();
            for (int i = 0; i < 1000 && !owner.finished(); i++) {
                turn(owner, 10_000);
            }
            assertThat(owner.finished()).isTrue();
        }
        tasks.runAll();
        caches.forEach(StreamingCache::close);
    }

    private void open() {
        StreamingCache cache = new StreamingCache(new CacheConfig(24 * MIB));
        caches.add(cache);
        ContainerConfig defaults = ContainerConfig.DEFAULT;
        ContainerConfig config = new ContainerConfig(
                new ContainerConfig.Log(256 << 10, 8, MIB, 4 * MIB, 32 * MIB),
                MIB,
                defaults.appendDeadlineMicros(),
                defaults.closeDeadlineMicros(),
                defaults.pressure(),
                defaults.reads());
        Container owner = new Container(
                7,
                config,
                new ContainerParts(
                        wal,
                        cache,
                        ModelRider::create,
                        new ObjectTierFactory(Objects.requireNonNull(store), tasks, CONFIG, 5),
                        tasks),
                new ContainerListener() {
                    @Override
                    public void serving(Container which) {}

                    @Override
                    public void stopped(Container which, String why) {}
                });
        owners.add(owner);
        owner.open();
        settle(100);
    }

    private Container owner() {
        return owners.getLast();
    }

    private void turn(Container owner, long micros) {
        now += micros;
        owner.doWork(now);
        tasks.runOne();
    }

    private void settle(long millis) {
        for (long end = now + millis * 1000; now < end; ) {
            turn(owner(), 5_000);
            tasks.runAll();
        }
    }

    private void create() {
        for (int segment = 1; segment < appended.length; segment++) {
            owner().segments().create(segment, (byte) 1, Unpooled.wrappedBuffer(new byte[2]), Durable.IGNORED);
        }
        settle(50);
    }

    private void fill(long bytes) {
        for (long done = 0; done < bytes; ) {
            int segment = 1 + random.nextInt(random.nextInt(4) == 0 ? appended.length - 2 : 1);
            int length = 1 + random.nextInt(90_000);
            append(segment, length);
            done += length;
        }
        settle(20);
    }

    /** Waits its turn, as writers do when the tier is behind. */
    private void append(int segment, int length) {
        ByteBuf data = Unpooled.wrappedBuffer(ModelState.bytes(segment, appended[segment], length));
        boolean[] done = new boolean[1];
        owner().segments()
                .executeAppend(LoopTask.of(
                        () -> {
                            assertThat(owner().segments().append(segment, data, Durable.IGNORED))
                                    .isEqualTo(appended[segment]);
                            done[0] = true;
                        },
                        why -> {
                            throw new AssertionError(why.message());
                        }));
        while (!done[0]) {
            turn(owner(), 10_000);
        }
        appended[segment] += length;
    }

    private void readAll() {
        for (int segment = 1; segment < appended.length; segment++) {
            for (long position = 0; position < appended[segment]; ) {
                position += read(segment, position, 300_000);
            }
        }
    }

    /** Bytes of the answer. */
    private int read(int segment, long position, int maxBytes) {
        Answer answer = new Answer(segment, position);
        owner().segments().read(segment, position, maxBytes, answer);
        for (int i = 0; answer.length == 0; i++) {
            assertThat(i).as("answered").isLessThan(1_000);
            settle(10);
        }
        return answer.length;
    }

    private void deleteAllLeavesNoObject(ObjectStore objects) {
        for (int segment = 1; segment < appended.length; segment++) {
            owner().segments().delete(segment, Durable.IGNORED);
        }
        settle(20_000);
        try {
            assertThat(objects.list("", "", 1000)).isEmpty();
        } catch (io.sluice.tiering.objectstore.ObjectStoreException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Answer implements ReadReply {
        private final long segment;
        private final long asked;
        int length;

        Answer(long segment, long asked) {
            this.segment = segment;
            this.asked = asked;
        }

        @Override
        public void data(long position, ByteBuf data) {
            byte[] bytes = new byte[data.readableBytes()];
            data.readBytes(bytes);
            data.release();
            assertThat(position).isEqualTo(asked);
            assertThat(java.util.Arrays.equals(bytes, ModelState.bytes(segment, position, bytes.length)))
                    .as("bytes at %s of %s", position, segment)
                    .isTrue();
            length = bytes.length;
        }

        @Override
        public void failed(StoreFailure why) {
            throw new AssertionError(why.message());
        }
    }
}
