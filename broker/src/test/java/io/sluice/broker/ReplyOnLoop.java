package io.sluice.broker;

import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;

/**
 * For a read that is carried out elsewhere, by a converter or another node: brings its answer onto the container's loop, where
 * readers expect it, from any thread and at any time. Answers on the loop do not need it.
 *
 * <p>When the container has stopped meanwhile, entries are released and the reader is told so on the caller's thread.
 */
final class ReplyOnLoop implements EntriesReply {
    private final SegmentContainer container;
    private final EntriesReply reader;

    ReplyOnLoop(SegmentContainer container, EntriesReply reader) {
        this.container = container;
        this.reader = reader;
    }

    @Override
    public void entries(Entries entries) {
        container.execute(LoopTask.of(() -> reader.entries(entries), why -> {
            entries.bytes().release();
            reader.failed(why);
        }));
    }

    @Override
    public void atEnd() {
        onLoop(reader::atEnd);
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        onLoop(() -> reader.outOfRange(startOffset, endOffset));
    }

    @Override
    public void failed(StoreFailure why) {
        onLoop(() -> reader.failed(why));
    }

    private void onLoop(Runnable answer) {
        container.execute(LoopTask.of(answer, reader::failed));
    }
}
