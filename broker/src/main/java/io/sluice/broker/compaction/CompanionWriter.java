package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;
import static io.sluice.broker.compaction.CompactionAnswers.awaitEnd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes a companion segment of entries as they come, an object's worth at a time: one is stored while the next is filled. When it is closed
 * and the partition has not taken it, the segment is deleted. Blocking; one thread, once.
 */
final class CompanionWriter implements AutoCloseable {
    private final PartitionLog log;
    private final long companion;
    private final int objectBytes;
    private final CompanionIndex index = new CompanionIndex();
    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;
    private long length;
    /** Upload of the object before, if there is one. */
    private @Nullable Answer<Boolean> upload;

    /**
     * @param companion id of a segment that is not used yet
     * @param objectBytes bytes of an object; there are two of them
     */
    CompanionWriter(PartitionLog log, long companion, int objectBytes) {
        this.log = log;
        this.companion = companion;
        this.objectBytes = objectBytes;
    }

    void create(PartitionAttributes attributes) throws CompactionException, InterruptedException {
        await(log.container().<Boolean>ask(answer -> {
            ByteBuf bytes = Unpooled.buffer();
            attributes.write(bytes);
            log.container().create(companion, SegmentKinds.COMPANION, bytes, answer.onceDurable(true));
        }));
    }

    /** @param entries whole ones, read to their end */
    void add(ByteBuffer entries) throws CompactionException, InterruptedException {
        if (!entries.hasRemaining()) {
            return;
        }
        if (waiting.readableBytes() + entries.remaining() > objectBytes) {
            upload();
        }
        long from = length;
        PartitionScan.forEach(
                entries,
                (bytes, at) ->
                        index.add(EntryHeader.baseOffset(bytes, at), from + at, EntryHeader.maxTimestamp(bytes, at)));
        length += entries.remaining();
        if (!waiting.isWritable(entries.remaining())) {
            waiting = waiting.isReadable()
                    ? Unpooled.buffer(objectBytes).writeBytes(waiting)
                    : Unpooled.buffer(Math.max(entries.remaining(), Math.min(objectBytes, 1 << 20)));
        }
        waiting.writeBytes(entries);
    }

    /** Returns when all that was added is stored. */
    void flush() throws CompactionException, InterruptedException {
        upload();
        awaitUpload();
    }

    private void upload() throws CompactionException, InterruptedException {
        awaitUpload();
        ByteBuf full = waiting;
        waiting = Unpooled.EMPTY_BUFFER;
        if (full.isReadable()) {
            upload = log.container().ask(answer -> log.container().store(companion, full, answer.onceDurable(true)));
        }
    }

    /** An upload is never given up, and has the memory of one: a compaction that began anew would pile them up. */
    private void awaitUpload() throws CompactionException, InterruptedException {
        Answer<Boolean> last = upload;
        upload = null;
        if (last != null) {
            awaitEnd(last);
        }
    }

    /** Id of the segment. */
    long companion() {
        return companion;
    }

    long length() {
        return length;
    }

    CompanionIndex index() {
        return index;
    }

    @Override
    public void close() {
        try {
            awaitUpload();
        } catch (CompactionException ignored) {
            // of a compaction that has failed before: nothing of it is kept
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        log.container().execute(LoopTask.of(() -> {
            if (log.container().info(companion) != null && !log.compaction().has(companion)) {
                log.container().delete(companion, Durable.IGNORED);
            }
        }));
    }
}
