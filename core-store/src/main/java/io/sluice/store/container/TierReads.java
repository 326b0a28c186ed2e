package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.SegmentState;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierReply;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads of bytes that are not in the cache. Long-term storage says when it is their turn, and who reads what; of what comes
 * back the container keeps in the cache, as first to go, what others are likely to want. Loop only.
 */
final class TierReads {
    /** Long-term storage answers every read within its own deadline, of seconds. */
    private static final long LOST_AFTER_MICROS = 120_000_000;

    private final ReadIndex index;
    private final Segments segments;
    /** Bounded by long-term storage, which refuses what is too much. The oldest first. */
    private final SequencedSet<Read> underWay = new LinkedHashSet<>();

    private @Nullable Tier tier;
    private long nowMicros;
    private long started;
    private long failed;

    TierReads(ReadIndex index, Segments segments) {
        this.index = index;
        this.segments = segments;
    }

    /** Where to read, once the term has begun. */
    void from(Tier opened) {
        tier = opened;
    }

    /** @param position in no cached range */
    void read(long segment, long position, int maxBytes, ReadReply reply) {
        new Read(segment, position, maxBytes, reply).start();
    }

    /** Gives up reads that long-term storage has lost. Now and then. */
    void look(long now) {
        nowMicros = now;
        while (!underWay.isEmpty() && now - underWay.getFirst().begun > LOST_AFTER_MICROS) {
            underWay.getFirst().failed(new StoreFailure.TierUnavailable("long-term storage does not answer a read"));
        }
    }

    /** Reads begun since the term began. */
    long started() {
        return started;
    }

    /** Reads that long-term storage could not answer. */
    long failed() {
        return failed;
    }

    /** The term is over. Answers that still come are dropped. */
    void close(StoreFailure why) {
        List<Read> all = new ArrayList<>(underWay);
        underWay.clear();
        all.forEach(read -> TermEnd.step("tell a reader", () -> read.reply.failed(why)));
    }

    private final class Read implements TierReply {
        private final long segment;
        private final long position;
        private final int maxBytes;
        private final ReadReply reply;
        private long begun;

        Read(long segment, long position, int maxBytes, ReadReply reply) {
            this.segment = segment;
            this.position = position;
            this.maxBytes = maxBytes;
            this.reply = reply;
        }

        void start() {
            OpenSegment target = segments.get(segment);
            StoreFailure why = unreadable(target);
            if (why != null || target == null) {
                reply.failed(Objects.requireNonNull(why));
                return;
            }
            if (target.state.rangeAt(position) == null) {
                throw new IllegalStateException("segment " + segment + " has neither cache nor tier for position "
                        + position + ": " + target.info());
            }
            begun = nowMicros;
            underWay.add(this);
            started++;
            Objects.requireNonNull(tier).read(segment, position, maxBytes, this);
        }

        private @Nullable StoreFailure unreadable(@Nullable OpenSegment target) {
            if (target == null) {
                return new StoreFailure.NoSuchSegment(segment, "there is no segment " + segment);
            }
            SegmentInfo info = target.info();
            return position >= info.start() && position < info.durableLength()
                    ? null
                    : new StoreFailure.OutOfRange(
                            segment,
                            position,
                            "position " + position + " is outside of [" + info.start() + ", " + info.durableLength()
                                    + ")");
        }

        @Override
        public void data(long from, ByteBuf data, boolean shared) {
            try {
                if (!underWay.remove(this)) {
                    return; // it was given up, or the term is over
                }
                if (shared) {
                    admit(from, data);
                }
                int bytes = Math.min(maxBytes, data.readableBytes());
                reply.data(from, data.retainedSlice(data.readerIndex(), bytes));
            } finally {
                data.release();
            }
        }

        private void admit(long from, ByteBuf data) {
            OpenSegment target = segments.get(segment);
            SegmentState state = target == null ? null : target.state;
            if (state != null && from + data.readableBytes() <= state.tieredLength()) {
                index.insert(segment, from, data, true);
            }
        }

        @Override
        public void again() {
            if (!underWay.remove(this)) {
                return;
            }
            OpenSegment target = segments.get(segment);
            ByteBuf cached = target == null || unreadable(target) != null
                    ? null
                    : index.pin(segment, position, (int) Math.min(maxBytes, target.durableLength - position));
            if (cached != null) {
                reply.data(position, cached);
            } else {
                start();
            }
        }

        @Override
        public void failed(StoreFailure why) {
            if (!underWay.remove(this)) {
                return;
            }
            if (!(why instanceof StoreFailure.Overloaded)) {
                failed++;
            }
            // the object may be gone because what it held is: then that is the reason to give
            StoreFailure gone = unreadable(segments.get(segment));
            reply.failed(gone == null ? why : gone);
        }
    }
}
