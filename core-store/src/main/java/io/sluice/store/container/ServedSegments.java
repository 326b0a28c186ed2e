package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.container.TermLife.Phase;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.LogOperation;
import io.sluice.store.wal.Durability;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A container as its users see it: what is asked of its segments is decided on their state, while the term serves. */
final class ServedSegments implements SegmentContainer {
    private static final int MOST_NOTE_BYTES = 1 << 20;

    private final int id;
    private final Durability durability;
    private final CacheRoom room;
    private final TermLife life;
    private final LoopWork loop;
    private final Segments segments;
    private final ReadIndex index;
    private final Sequencer sequencer;
    private final TierReads tierReads;
    private final TierTurns tier;

    ServedSegments(
            int id,
            Durability durability,
            CacheRoom room,
            TermLife life,
            LoopWork loop,
            Segments segments,
            ReadIndex index,
            Sequencer sequencer,
            TierReads tierReads,
            TierTurns tier) {
        this.id = id;
        this.durability = durability;
        this.room = room;
        this.life = life;
        this.loop = loop;
        this.segments = segments;
        this.index = index;
        this.sequencer = sequencer;
        this.tierReads = tierReads;
        this.tier = tier;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public long term() {
        return life.term();
    }

    @Override
    public boolean mayLoseAcknowledged() {
        return durability.mayLoseAcknowledged();
    }

    @Override
    public boolean isEnded() {
        return life.ending();
    }

    // ---- the loop ----

    @Override
    public boolean onLoop() {
        return loop.onLoop();
    }

    @Override
    public void execute(LoopTask task) {
        loop.execute(task);
    }

    @Override
    public void executeAppend(LoopTask task) {
        loop.executeAppend(task);
    }

    @Override
    public long now() {
        return loop.millis();
    }

    @Override
    public Scheduled schedule(long delayMillis, LoopTask task) {
        return loop.schedule(delayMillis, task);
    }

    // ---- writing ----

    @Override
    public void create(long segment, byte kind, ByteBuf attributes, Durable done) {
        if (serving(done)) {
            sequencer.sequence(segments.state().decideCreate(segment, kind, attributes), done);
        }
    }

    @Override
    public long append(long segment, ByteBuf data, Durable done) {
        return serving(done) ? sequencer.append(segment, data, done) : -1;
    }

    @Override
    public void store(long segment, ByteBuf data, Durable done) {
        boolean taken = false;
        try {
            int bytes = data.readableBytes();
            if (bytes == 0 || bytes > MOST_STORED_BYTES) {
                throw new IllegalArgumentException(bytes + " bytes to store, at most " + MOST_STORED_BYTES);
            }
            if (serving(done)) {
                long position = segments.state().decideTierAppend(segment);
                OpenSegment target = Objects.requireNonNull(segments.get(segment));
                if (target.storing) {
                    throw new IllegalStateException("segment " + segment + " is being stored to");
                }
                target.storing = true;
                taken = true;
                tier.append(segment, position, data, new Stored(target, done));
            }
        } finally {
            if (!taken) {
                data.release();
            }
        }
    }

    private record Stored(OpenSegment segment, Durable done) implements Durable {
        @Override
        public void durable() {
            segment.storing = false;
            done.durable();
        }

        @Override
        public void failed(StoreFailure why) {
            segment.storing = false;
            done.failed(why);
        }
    }

    @Override
    public boolean hasRoomForAppend() {
        return room.forLargestAppend();
    }

    @Override
    public int maxAppendBytes() {
        return room.maxAppendBytes();
    }

    @Override
    public void note(long segment, ByteBuf note, Durable done) {
        if (note.readableBytes() > MOST_NOTE_BYTES) {
            throw new IllegalArgumentException("a note of " + note.readableBytes() + " bytes");
        }
        if (serving(done)) {
            sequencer.sequence(segments.state().decideNote(segment, note), done);
        }
    }

    @Override
    public void barrier(Durable done) {
        if (serving(done)) {
            sequencer.sequence(null, done);
        }
    }

    @Override
    public void truncate(long segment, long position, Durable done) {
        if (serving(done)) {
            sequencer.sequence(segments.state().decideTruncate(segment, position), done);
        }
    }

    @Override
    public void seal(long segment, Durable done) {
        if (serving(done)) {
            sequencer.sequence(segments.state().decideSeal(segment), done);
        }
    }

    @Override
    public void delete(long segment, Durable done) {
        if (serving(done)) {
            sequencer.sequence(segments.state().decideDelete(segment), done);
        }
    }

    /** Applies what long-term storage decided, and writes it to the log. */
    void sequence(LogOperation operation, Durable done) {
        if ((life.is(Phase.STORING) && !life.ending()) || serving(done)) {
            sequencer.sequence(operation, done);
        }
    }

    /** Not once the term is to end, either: what made it end may have left the state ahead of the log. */
    private boolean serving(Durable done) {
        if (life.is(Phase.SERVING) && !life.ending()) {
            return true;
        }
        done.failed(life.notOwner());
        return false;
    }

    // ---- reading ----

    @Override
    public @Nullable SegmentInfo info(long segment) {
        OpenSegment found = segments.get(segment);
        return found == null ? null : found.info();
    }

    @Override
    public @Nullable SegmentRider rider(long segment) {
        OpenSegment found = segments.get(segment);
        return found == null ? null : found.rider;
    }

    @Override
    public void read(long segment, long position, int maxBytes, ReadReply reply) {
        ByteBuf cached = readCached(segment, position, maxBytes);
        if (cached != null) {
            reply.data(position, cached);
        } else {
            readUncached(segment, position, maxBytes, reply);
        }
    }

    @Override
    public void readUncached(long segment, long position, int maxBytes, ReadReply reply) {
        if (!life.is(Phase.SERVING)) {
            reply.failed(life.notOwner());
        } else {
            tierReads.read(segment, position, maxBytes, reply);
        }
    }

    @Override
    public @Nullable ByteBuf readCached(long segment, long position, int maxBytes) {
        OpenSegment target = segments.get(segment);
        if (target == null || position < target.state.start() || position >= target.durableLength || maxBytes < 1) {
            return null;
        }
        return index.read(segment, position, (int) Math.min(maxBytes, target.durableLength - position));
    }
}
