package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.LogOperation;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts operations in their order: applies each to everything at once, and writes it to the log. A failure between the two
 * leaves the state ahead of the log: nothing more may be written after it, and the term ends. Loop only.
 */
final class Sequencer {
    private final Segments segments;
    private final FramePipeline pipeline;
    private final LogSyncs syncs;
    private final CacheRoom room;
    private final ContainerTier tier;
    private final Consumer<Throwable> broken;
    private final ByteBuf checkpoint = UnpooledByteBufAllocator.DEFAULT.heapBuffer(4096);
    private long appendedBytes;

    /** @param broken told when an operation could not be applied and written: the state is not to be trusted any more */
    Sequencer(
            Segments segments,
            FramePipeline pipeline,
            LogSyncs syncs,
            CacheRoom room,
            ContainerTier tier,
            Consumer<Throwable> broken) {
        this.segments = segments;
        this.pipeline = pipeline;
        this.syncs = syncs;
        this.room = room;
        this.tier = tier;
        this.broken = broken;
    }

    /** See {@link io.sluice.store.segment.SegmentContainer#append}. */
    long append(long segment, ByteBuf data, Durable done) {
        int bytes = data.readableBytes();
        if (bytes > room.maxAppendBytes()) {
            throw new IllegalArgumentException("an append of " + bytes + " bytes, at most " + room.maxAppendBytes());
        }
        LogOperation.Append operation = segments.state().decideAppend(segment, data);
        if (!room.forAppend(bytes)) {
            throw new IllegalStateException("no room in the cache: appends must be queued as such");
        }
        try {
            segments.apply(operation);
            OpenSegment target = Objects.requireNonNull(segments.get(segment));
            pipeline.write(
                    operation,
                    target,
                    target.state.length(),
                    done,
                    segments.state().sequence());
        } catch (Throwable e) {
            broken.accept(e);
            throw e;
        }
        appendedBytes += bytes;
        return operation.position();
    }

    /** Bytes appended since the term began. */
    long appendedBytes() {
        return appendedBytes;
    }

    /** Null is an operation that would change nothing: its caller is told when what came before it is durable. */
    void sequence(@Nullable LogOperation operation, Durable done) {
        if (operation == null) {
            pipeline.barrier(syncs.whenSynced(done));
            return;
        }
        OpenSegment target = switch (operation) {
            case LogOperation.Truncate truncate -> segments.get(truncate.segment());
            case LogOperation.DeleteSegment delete -> segments.get(delete.segment());
            default -> null;
        };
        try {
            segments.apply(operation);
            if (target != null) {
                tier.changed(target, segments.get(target.state.segment()) == target, true);
            }
            boolean releases = target != null || operation instanceof LogOperation.TierCommit;
            Durable waiter = releases ? new Releasing(operation, target, done) : done;
            // what catalogue and tier build on must not get lost
            Durable told = operation instanceof LogOperation.Note ? waiter : syncs.whenSynced(waiter);
            OpenSegment grown = operation instanceof LogOperation.TierAppend append
                    ? segments.get(append.range().segment())
                    : null;
            long length = grown == null ? 0 : grown.state.length();
            pipeline.write(operation, grown, length, told, segments.state().sequence());
        } catch (Throwable e) {
            broken.accept(e);
            throw e;
        }
    }

    /** Writes the whole state; says how many bytes that took. */
    long checkpoint(Durable done) {
        checkpoint.clear();
        segments.checkpoint(checkpoint);
        pipeline.write(
                new LogOperation.Checkpoint(checkpoint),
                null,
                0,
                syncs.whenSynced(done),
                segments.state().sequence());
        return checkpoint.readableBytes();
    }

    /** Gives log space back once the operation that freed it is durable. */
    private final class Releasing implements Durable {
        private final LogOperation operation;
        private final @Nullable OpenSegment target;
        private final Durable done;

        Releasing(LogOperation operation, @Nullable OpenSegment target, Durable done) {
            this.operation = operation;
            this.target = target;
            this.done = done;
        }

        @Override
        public void durable() {
            segments.released(operation, target);
            done.durable();
        }

        @Override
        public void failed(StoreFailure why) {
            done.failed(why);
        }
    }

    void close() {
        checkpoint.release();
    }
}
