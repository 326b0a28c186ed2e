package io.sluice.store.tier;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Long-term storage in memory: one object at a time, whatever is dirty goes into it. {@link Faults} spoils the fun. */
public final class InMemoryTier implements Tier {
    private static final int MOST_PER_SEGMENT = 256 << 10;

    private final TierHost host;
    private final InMemoryObjects objects;
    private final Faults faults;
    private boolean flushing;
    private boolean collecting;
    private boolean merging;
    private boolean closed;
    private final List<Durable> storing = new ArrayList<>();

    public InMemoryTier(TierHost host, InMemoryObjects objects, Faults faults) {
        this.host = host;
        this.objects = objects;
        this.faults = faults;
    }

    /** What goes wrong, and when. The defaults flush whatever there is, at once. */
    public interface Faults {
        /** Runs a step that would be an upload, a read or a deletion, now or later. */
        default void later(String what, Runnable step) {
            step.run();
        }

        default boolean fails(String what) {
            return false;
        }

        /** How many bytes of an upload that fails are there all the same. */
        default int stored(int bytes) {
            return bytes / 2;
        }

        /** What to merge, in this order, instead of {@code ranges}. */
        default List<TierRange> sources(List<TierRange> ranges) {
            return ranges;
        }

        /** {@code merged} is about to be sequenced in the place of ranges that the manifests still name. */
        default void merged(TierHost host, List<TierRange> merged) {}

        /** Whether to begin an object, given how many bytes wait for one and how urgent it is. */
        default boolean flush(long untiered, double pressure) {
            return untiered > 0;
        }

        /** Least bytes of an answer, where there are as many. */
        default int leastRead() {
            return 0;
        }

        /** Whether the bytes of an answer belong in the cache. */
        default boolean shared() {
            return true;
        }

        /** How many neighbours of a segment's {@code ranges} to merge now; below 2 is none. */
        default int merge(int ranges) {
            return 0;
        }
    }

    @Override
    public int doWork(long now) {
        int work = 0;
        if (!flushing && faults.flush(host.untieredBytes(), host.flushPressure())) {
            work += flush();
        }
        return work + merge() + collect();
    }

    /** Merges some ranges of some segments into one object. */
    private int merge() {
        if (merging) {
            return 0;
        }
        long object = host.nextObject();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<TierRange> merged = new ArrayList<>();
        for (long segment : host.segments()) {
            List<TierRange> manifest = host.manifest(segment);
            int count = Math.min(faults.merge(manifest.size()), manifest.size());
            if (count > 1) {
                int from = (int) (object % (manifest.size() - count + 1));
                merge(faults.sources(manifest.subList(from, from + count)), object, bytes, merged);
            }
        }
        if (merged.isEmpty()) {
            return 0;
        }
        merging = true;
        host.sequenceIntent(
                object,
                onceDurable(() -> upload(object, bytes.toByteArray(), () -> {
                    faults.merged(host, merged);
                    host.sequenceMerge(object, merged, onceDurable(() -> merging = false));
                })));
        return 1;
    }

    private void merge(List<TierRange> ranges, long object, ByteArrayOutputStream bytes, List<TierRange> merged) {
        int offset = bytes.size();
        CRC32C crc = new CRC32C();
        for (TierRange range : ranges) {
            byte[] source = objects.get(range.object());
            if (source == null) {
                throw new IllegalStateException("no object for " + range);
            }
            bytes.write(source, (int) range.offset(), range.length());
            crc.update(source, (int) range.offset(), range.length());
        }
        long position = ranges.stream().mapToLong(TierRange::position).min().orElseThrow();
        merged.add(new TierRange(
                ranges.getFirst().segment(), position, bytes.size() - offset, object, offset, (int) crc.getValue()));
    }

    private int flush() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<TierHost.Dirty> dirty = new ArrayList<>();
        host.forEachDirty(dirty::add);
        if (dirty.isEmpty()) {
            return 0;
        }
        long object = host.nextObject();
        List<TierRange> ranges = new ArrayList<>();
        for (TierHost.Dirty each : dirty) {
            byte[] pinned = pinned(each);
            CRC32C crc = new CRC32C();
            crc.update(pinned);
            ranges.add(new TierRange(
                    each.segment(), each.from(), pinned.length, object, bytes.size(), (int) crc.getValue()));
            bytes.writeBytes(pinned);
        }
        flushing = true;
        host.sequenceIntent(
                object,
                onceDurable(() -> upload(
                        object,
                        bytes.toByteArray(),
                        () -> host.sequenceCommit(object, ranges, onceDurable(() -> flushing = false)))));
        return 1;
    }

    private byte[] pinned(TierHost.Dirty dirty) {
        int most = (int) Math.min(MOST_PER_SEGMENT, dirty.to() - dirty.from());
        ByteBuf data = host.pin(dirty.segment(), dirty.from(), most);
        if (data == null) {
            throw new IllegalStateException("untiered bytes are not in the cache: " + dirty);
        }
        byte[] copy = new byte[data.readableBytes()];
        data.readBytes(copy);
        data.release();
        return copy;
    }

    private void upload(long object, byte[] bytes, Runnable commit) {
        faults.later("upload", () -> {
            if (closed) {
                return;
            }
            if (faults.fails("upload")) {
                objects.put(object, Arrays.copyOf(bytes, faults.stored(bytes.length)));
                host.post(() -> upload(object, bytes, commit));
                return;
            }
            objects.put(object, bytes);
            host.post(commit);
        });
    }

    private int collect() {
        List<Long> garbage = collecting ? List.of() : host.garbage();
        if (garbage.isEmpty()) {
            return 0;
        }
        collecting = true;
        faults.later("delete", () -> {
            garbage.forEach(objects::delete);
            host.post(() -> host.sequenceCollected(garbage, onceDurable(() -> collecting = false)));
        });
        return 1;
    }

    private static Durable onceDurable(Runnable then) {
        return Durable.of(() -> then.run());
    }

    @Override
    public void append(long segment, long position, ByteBuf bytes, Durable done) {
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.readBytes(copy);
        bytes.release();
        CRC32C crc = new CRC32C();
        crc.update(copy);
        long object = host.nextObject();
        TierRange range = new TierRange(segment, position, copy.length, object, 0, (int) crc.getValue());
        storing.add(done);
        host.sequenceIntent(
                object,
                onceDurable(() -> upload(
                        object,
                        copy,
                        () -> host.sequenceAppend(
                                object,
                                range,
                                Durable.of(
                                        () -> {
                                            storing.remove(done);
                                            done.durable();
                                        },
                                        why -> {
                                            storing.remove(done);
                                            done.failed(why);
                                        })))));
    }

    @Override
    public void read(long segment, long position, int maxBytes, TierReply reply) {
        TierRange range = host.tiered(segment, position);
        if (range == null) {
            reply.again();
        } else {
            faults.later("read", () -> host.post(() -> answer(range, position, maxBytes, reply)));
        }
    }

    private void answer(TierRange range, long position, int maxBytes, TierReply reply) {
        StoreFailure why = readFailure(range);
        TierRange now = host.tiered(range.segment(), position);
        if (why == null) {
            reply.data(position, sinceRange(range, position, Math.max(maxBytes, faults.leastRead())), faults.shared());
        } else if (now != null && now.object() != range.object()) {
            reply.again();
        } else {
            reply.failed(why);
        }
    }

    private @Nullable StoreFailure readFailure(TierRange range) {
        if (faults.fails("read")) {
            return new StoreFailure.TierUnavailable("planted");
        }
        byte[] object = objects.get(range.object());
        if (object == null || object.length < range.offset() + range.length()) {
            return new StoreFailure.Corrupt("object " + range.object() + " is gone or torn");
        }
        return sound(range, object) ? null : new StoreFailure.Corrupt("object " + range.object() + " is spoilt");
    }

    /** The rest of the range, which is sound, and those after it up to one that is not. */
    private ByteBuf sinceRange(TierRange first, long position, int maxBytes) {
        ByteBuf read = Unpooled.buffer();
        TierRange range = first;
        while (read.readableBytes() < maxBytes && range != null) {
            byte[] object = objects.get(range.object());
            long at = position + read.readableBytes();
            if (object == null || object.length < range.offset() + range.length() || !sound(range, object)) {
                break;
            }
            int bytes = (int) Math.min(maxBytes - read.readableBytes(), range.end() - at);
            read.writeBytes(object, (int) (range.offset() + at - range.position()), bytes);
            range = host.tiered(range.segment(), at + bytes);
        }
        return read;
    }

    private static boolean sound(TierRange range, byte[] object) {
        CRC32C crc = new CRC32C();
        crc.update(object, (int) range.offset(), range.length());
        return (int) crc.getValue() == range.crc();
    }

    @Override
    public void close() {
        closed = true;
        List.copyOf(storing)
                .forEach(done -> done.failed(new StoreFailure.NotOwner(host.container(), "the term is over")));
        storing.clear();
    }
}
