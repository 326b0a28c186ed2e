package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.read.CachedRange;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.read.ReadPlan;
import io.sluice.store.read.ReadPlanner;
import io.sluice.store.read.SequentialReaders;
import io.sluice.store.read.SequentialReaders.Reader;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.SegmentState;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads of bytes that are not in the cache: a bounded number at a time, one per place however many ask for it. What comes
 * back is kept in the cache as first to go, unless one reader goes through the segment alone and takes much at a time:
 * nobody would read it there, and copying it costs as much as all else here. Loop only.
 */
final class TierReads {
    /** One that is used up while the next comes in. */
    private static final int PARTS_PER_READER = 2;
    /** Less is not worth a request, however many there are. */
    private static final int LEAST_PART = 32 << 10;
    /** Long-term storage answers every read within its own deadline, of seconds. */
    private static final long LOST_AFTER_MICROS = 120_000_000;

    private final ContainerConfig.Reads config;
    private final ReadIndex index;
    private final Segments segments;
    private final SequentialReaders readers = new SequentialReaders();
    private final SequencedMap<Place, Answer> underWay = new LinkedHashMap<>();
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    private @Nullable Tier tier;
    private @Nullable StoreFailure closed;
    private long nowMicros;
    private long started;
    private long failed;

    private record Place(long segment, long position) {}

    /** @param reader who reads on, or null */
    private record Request(@Nullable Reader reader, long segment, long position, int maxBytes, ReadReply reply) {}

    TierReads(ContainerConfig.Reads config, ReadIndex index, Segments segments) {
        this.config = config;
        this.index = index;
        this.segments = segments;
    }

    /** Where to read, once the term has begun. */
    void from(Tier opened) {
        tier = opened;
    }

    void read(long segment, long position, int maxBytes, ReadReply reply) {
        read(new Request(readers.at(segment, position), segment, position, maxBytes, reply));
    }

    private void read(Request request) {
        Answer same = underWay.get(new Place(request.segment, request.position));
        if (same != null) {
            if (same.asking.size() > config.maxWaitingReads()) {
                refuse(request);
            } else {
                same.asking.add(request);
            }
        } else if (underWay.size() < config.maxTierReads()) {
            start(request);
        } else if (waiting.size() < config.maxWaitingReads()) {
            waiting.add(request);
        } else {
            refuse(request);
        }
    }

    /** Whether the bytes bypass the cache: they are read once, and the rest of the piece is in long-term storage's read-ahead. */
    private boolean passes(Request request) {
        return request.reader != null && request.maxBytes >= leastRead() / 4 && !readers.hasCompany(request.reader);
    }

    /** Where many read at once less, so that what was read for one is still there when it is its turn again. */
    private int leastRead() {
        long part = index.catchUpBytes() / PARTS_PER_READER / Math.max(1, readers.active());
        return (int) Math.min(config.readAheadBytes(), Math.max(LEAST_PART, part));
    }

    private void refuse(Request request) {
        request.reply.failed(new StoreFailure.Overloaded("too many reads wait for long-term storage"));
    }

    private void start(Request request) {
        OpenSegment target = segments.get(request.segment);
        if (target == null) {
            request.reply.failed(noSuchSegment(request.segment));
            return;
        }
        long position = request.position;
        TierRange range = target.state.rangeAt(position);
        int least = passes(request) ? 0 : leastRead();
        CachedRange cachedNext = index.cached(request.segment, position, Math.max(request.maxBytes, least));
        ReadPlan plan = ReadPlanner.plan(target.info(), position, request.maxBytes, least, cachedNext, range);
        switch (plan) {
            case ReadPlan.FromCache cached -> {
                ByteBuf data = index.read(request.segment, cached.position(), cached.bytes());
                if (data == null) {
                    throw new IllegalStateException("cached range without bytes: " + cached);
                }
                request.reply.data(position, data);
            }
            case ReadPlan.OutOfRange _ ->
                request.reply.failed(outOfRange(new Place(request.segment, position), target.info()));
            case ReadPlan.FromTier from -> {
                Place place = new Place(request.segment, position);
                Answer answer = new Answer(place, from.range());
                answer.asking.add(request);
                underWay.put(place, answer);
                started++;
                Objects.requireNonNull(tier).read(request.segment, from.range(), position, from.bytes(), answer);
            }
        }
    }

    /** Gives up reads that long-term storage has lost, so that their places can be read again. Now and then. */
    void look(long now) {
        nowMicros = now;
        while (!underWay.isEmpty() && now - underWay.firstEntry().getValue().begun > LOST_AFTER_MICROS) {
            underWay.firstEntry()
                    .getValue()
                    .failed(new StoreFailure.TierUnavailable("long-term storage does not answer a read"));
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

    private static StoreFailure noSuchSegment(long segment) {
        return new StoreFailure.NoSuchSegment(segment, "there is no segment " + segment);
    }

    private static StoreFailure outOfRange(Place place, SegmentInfo info) {
        return new StoreFailure.OutOfRange(
                place.segment,
                place.position,
                "position " + place.position + " is outside of [" + info.start() + ", " + info.durableLength() + ")");
    }

    /** The term is over. Answers that still come are dropped. */
    void close(StoreFailure why) {
        closed = why;
        List<Request> all = new ArrayList<>(waiting);
        waiting.clear();
        underWay.values().forEach(answer -> all.addAll(answer.asking));
        underWay.clear();
        all.forEach(request -> TermEnd.step("tell a reader", () -> request.reply.failed(why)));
    }

    private final class Answer implements ReadReply {
        private final Place place;
        private final TierRange range;
        private final long begun = nowMicros;
        private final List<Request> asking = new ArrayList<>(1);

        Answer(Place place, TierRange range) {
            this.place = place;
            this.range = range;
        }

        @Override
        public void data(long position, ByteBuf data) {
            try {
                List<Request> told = finished();
                if (closed != null) {
                    return;
                }
                if (told.size() != 1 || !passes(told.getFirst())) {
                    admit(position, data);
                }
                for (Request request : told) {
                    int bytes = Math.min(request.maxBytes, data.readableBytes());
                    readers.answered(request.reader, place.segment, position, position + data.readableBytes());
                    request.reply.data(position, data.retainedSlice(data.readerIndex(), bytes));
                }
            } finally {
                data.release();
            }
            startWaiting();
        }

        @Override
        public void failed(StoreFailure why) {
            if (closed == null && movedMeanwhile()) {
                finished().forEach(TierReads.this::read);
                startWaiting();
                return;
            }
            failed++;
            // the object may be gone because what it held is: then that is the reason to give
            StoreFailure reason = closed != null ? closed : readable(why);
            for (Request request : finished()) {
                request.reply.failed(reason);
            }
            startWaiting();
        }

        /** A compaction has put the bytes elsewhere: the object that failed may be gone for that reason. */
        private boolean movedMeanwhile() {
            OpenSegment target = segments.get(place.segment);
            TierRange now = target == null ? null : target.state.rangeAt(place.position);
            return now != null && now.object() != range.object();
        }

        private StoreFailure readable(StoreFailure why) {
            OpenSegment target = segments.get(place.segment);
            if (target == null) {
                return noSuchSegment(place.segment);
            }
            return place.position < target.state.start() ? outOfRange(place, target.info()) : why;
        }

        private List<Request> finished() {
            // one that was given up may be answered after all, when its place is read again
            return underWay.remove(place, this) ? asking : List.of();
        }

        private void admit(long position, ByteBuf data) {
            OpenSegment target = segments.get(place.segment);
            SegmentState state = target == null ? null : target.state;
            if (state != null && position + data.readableBytes() <= state.tieredLength()) {
                index.insert(place.segment, position, data, true);
            }
        }

        private void startWaiting() {
            while (closed == null && underWay.size() < config.maxTierReads() && !waiting.isEmpty()) {
                read(waiting.remove());
            }
        }
    }
}
