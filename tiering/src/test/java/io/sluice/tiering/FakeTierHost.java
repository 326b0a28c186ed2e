package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierHost;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.ModelState.Op;
import io.sluice.tiering.ModelState.Seg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A container for tests: a log in memory whose end becomes durable when the test says so, and a crash that keeps any
 * prefix that has all that was durable. One thread, but for {@link #post}.
 */
final class FakeTierHost implements TierHost {
    private final RandomGenerator random;
    private final List<Op> log;
    private final List<Durable> waiting = new ArrayList<>();
    private int durable;
    /** The one position of each segment that is in the cache. */
    long cachedFrom = Long.MAX_VALUE;

    Runnable onCachedFrom = () -> {};
    long catchUpBytes;
    private final ModelState state = new ModelState();
    /** The state as of the log's durable end. */
    private final ModelState durableState = new ModelState();

    private final long term;
    private long objects;
    private boolean stopped;
    private final ConcurrentLinkedQueue<Runnable> posted = new ConcurrentLinkedQueue<>();
    private final List<ByteBuf> pinned = new ArrayList<>();
    private final Set<Long> durableIntents = new HashSet<>();
    private final Map<Long, Integer> generations = new HashMap<>();
    Consumer<List<TierRange>> onCommit = ranges -> {};
    double pressure;
    boolean shortPins;

    FakeTierHost(RandomGenerator random) {
        this(random, List.of(), 1);
    }

    private FakeTierHost(RandomGenerator random, List<Op> log, long term) {
        this.random = random;
        this.log = new ArrayList<>(log);
        this.term = term;
        for (Op op : log) {
            state.apply(op);
            state.durable(op);
            durableState.apply(op);
            waiting.add(Durable.IGNORED);
        }
        durable = log.size();
    }

    /** The next term. Of what was not yet durable, some may have survived. */
    FakeTierHost crash() {
        stopped = true;
        int kept = durable + random.nextInt(log.size() - durable + 1);
        StoreFailure why = new StoreFailure.NotOwner(container(), "crashed");
        List.copyOf(waiting.subList(durable, waiting.size())).forEach(done -> done.failed(why));
        FakeTierHost next = new FakeTierHost(random, log.subList(0, kept), term + 1);
        next.generations.putAll(generations);
        return next;
    }

    ModelState state() {
        return state;
    }

    void sequence(Op op, Durable done) {
        log.add(op);
        waiting.add(done);
        state.apply(op);
    }

    /** Up to {@code count} more operations become durable. Returns how many. */
    int makeDurable(int count) {
        int made = 0;
        while (made < count && durable < log.size()) {
            Op op = log.get(durable);
            Durable done = waiting.get(durable);
            durable++;
            made++;
            state.durable(op);
            durableState.apply(op);
            if (op instanceof Op.Intent intent) {
                durableIntents.add(intent.object());
            }
            done.durable();
        }
        return made;
    }

    int runPosted() {
        int ran = 0;
        for (Runnable next = posted.poll(); next != null; next = posted.poll()) {
            next.run();
            ran++;
        }
        return ran;
    }

    boolean intentIsDurable(long object) {
        return durableIntents.contains(object);
    }

    long pinnedBytes() {
        pinned.removeIf(bytes -> bytes.refCnt() == 0);
        return pinned.stream().mapToLong(ByteBuf::capacity).sum();
    }

    @Override
    public int container() {
        return 3;
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public long nextObject() {
        return term << 32 | objects++;
    }

    @Override
    public void forEachDirty(Consumer<Dirty> each) {
        state.segments.forEach((id, seg) -> {
            long from = Math.max(seg.tiered, seg.start);
            if (from < seg.durable) {
                each.accept(new Dirty(id, from, seg.durable, seg.since));
            }
        });
    }

    @Override
    public long untieredBytes() {
        long[] bytes = new long[1];
        forEachDirty(dirty -> bytes[0] += dirty.to() - dirty.from());
        return bytes[0];
    }

    @Override
    public double flushPressure() {
        return pressure;
    }

    @Override
    public @Nullable ByteBuf pin(long segment, long position, int length) {
        Seg seg = state.segments.get(segment);
        if (seg == null || position < Math.max(seg.start, seg.tiered) || position + length > seg.durable) {
            throw new AssertionError("Nothing to pin at " + position + " of " + segment);
        }
        int bytes = shortPins ? 1 + random.nextInt(length) : length;
        if (shortPins && random.nextInt(20) == 0) {
            return null;
        }
        ByteBuf pin = Unpooled.directBuffer(bytes, bytes).writeBytes(ModelState.bytes(segment, position, bytes));
        pinned.add(pin);
        return bytes < 3 ? pin : chain(pin, 1 + random.nextInt(bytes - 1));
    }

    private static CompositeByteBuf chain(ByteBuf whole, int cut) {
        ByteBuf first = whole.readRetainedSlice(cut);
        ByteBuf second = whole.readRetainedSlice(whole.readableBytes());
        whole.release();
        return Unpooled.compositeBuffer().addComponent(true, first).addComponent(true, second);
    }

    @Override
    public void sequenceIntent(long object, Durable done) {
        sequence(new Op.Intent(object, term), done);
    }

    @Override
    public void sequenceCommit(long object, List<TierRange> ranges, Durable done) {
        mustBeDurable(object);
        onCommit.accept(ranges);
        sequence(new Op.Commit(object, ranges), done);
    }

    private void mustBeDurable(long object) {
        if (!durableIntents.contains(object)) {
            throw new AssertionError("Not durably intended: " + object);
        }
    }

    @Override
    public void sequenceMerge(long object, List<TierRange> ranges, Durable done) {
        mustBeDurable(object);
        int newest = 0;
        for (TierRange merged : ranges) {
            for (TierRange old : manifest(merged.segment())) {
                if (old.position() >= merged.position() && old.end() <= merged.end()) {
                    newest = Math.max(newest, generation(old.object()));
                }
            }
        }
        generations.put(object, newest + 1);
        onCommit.accept(ranges);
        sequence(new Op.Merge(object, ranges), done);
    }

    @Override
    public void sequenceAppend(long object, TierRange range, Durable done) {
        mustBeDurable(object);
        onCommit.accept(List.of(range));
        sequence(new Op.Store(object, range), done);
    }

    @Override
    public long[] segments() {
        return state.segments.keySet().stream().mapToLong(id -> id).toArray();
    }

    @Override
    public List<TierRange> manifest(long segment) {
        Seg seg = state.segments.get(segment);
        return seg == null ? List.of() : seg.ranges;
    }

    @Override
    public int generation(long object) {
        return generations.getOrDefault(object, 0);
    }

    @Override
    public List<Long> garbage() {
        List<Long> garbage = state.garbage(term);
        garbage.retainAll(durableState.garbage(term));
        return garbage;
    }

    @Override
    public void sequenceCollected(List<Long> gone, Durable done) {
        sequence(new Op.Collected(gone), done);
    }

    @Override
    public @Nullable TierRange tiered(long segment, long position) {
        Seg seg = state.segments.get(segment);
        return seg == null
                ? null
                : seg.ranges.stream()
                        .filter(range -> position >= range.position() && position < range.end())
                        .findFirst()
                        .orElse(null);
    }

    @Override
    public long cachedFrom(long segment, long position) {
        long cached = position <= cachedFrom ? cachedFrom : Long.MAX_VALUE;
        onCachedFrom.run();
        return cached;
    }

    @Override
    public long catchUpBytes() {
        return catchUpBytes;
    }

    @Override
    public void post(Runnable onLoop) {
        if (!stopped) {
            posted.add(onLoop);
        }
    }
}
