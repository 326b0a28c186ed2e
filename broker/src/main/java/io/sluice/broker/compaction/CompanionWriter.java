package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;
import static io.sluice.broker.compaction.CompactionAnswers.awaitEnd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.CompanionIndex;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionRiderFactory;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import java.nio.ByteBuffer;

/**
 * Makes a companion segment of entries as they come, an object's worth at a time. When it is closed and the partition has not taken it,
 * the segment is deleted. Blocking; one thread, once.
 */
final class CompanionWriter implements AutoCloseable {
    private final PartitionLog log;
    private final long companion;
    private final int objectBytes;
    private final CompanionIndex index = new CompanionIndex();
    private ByteBuf waiting = Unpooled.EMPTY_BUFFER;
    private long length;

    /** @param companion id of a segment that is not used yet */
    CompanionWriter(PartitionLog log, long companion, int objectBytes) {
        this.log = log;
        this.companion = companion;
        this.objectBytes = objectBytes;
    }

    void create(PartitionAttributes attributes) throws CompactionException, InterruptedException {
        await(log.container().<Boolean>ask(answer -> {
            ByteBuf bytes = Unpooled.buffer();
            attributes.write(bytes);
            log.container().create(companion, PartitionRiderFactory.COMPANION, bytes, answer.onceDurable(true));
        }));
    }

    /** @param entries whole ones, read to their end */
    void add(ByteBuffer entries) throws CompactionException, InterruptedException {
        if (!entries.hasRemaining()) {
            return;
        }
        if (waiting.readableBytes() + entries.remaining() > objectBytes) {
            flush();
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

    void flush() throws CompactionException, InterruptedException {
        ByteBuf full = waiting;
        waiting = Unpooled.EMPTY_BUFFER;
        if (full.isReadable()) {
            // An upload is never given up, and has the memory of one: who gave up here and began anew would pile
            // them up.
            awaitEnd(log.container()
                    .<Boolean>ask(answer -> log.container().store(companion, full, answer.onceDurable(true))));
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
        log.container().execute(LoopTask.of(() -> {
            if (log.container().info(companion) != null && !log.compaction().has(companion)) {
                log.container().delete(companion, Durable.IGNORED);
            }
        }));
    }
}
