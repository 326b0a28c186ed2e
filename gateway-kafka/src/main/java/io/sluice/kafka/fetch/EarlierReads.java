package io.sluice.kafka.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EarlierEntries;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Reads of a partition for messages that lie in several entries, by a thread that waits. */
public record EarlierReads(PartitionLog log) implements EarlierEntries {
    /** A reader that is told nothing for so long comes again. */
    private static final int PATIENCE_SECONDS = 30;

    @Override
    public @Nullable Run read(long offset, int maxBytes) {
        Answer<@Nullable Run> answer = log.container().ask(reply -> read(offset, maxBytes, reply));
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new UnavailableException(String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            throw new UnavailableException("no answer within " + PATIENCE_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("the server stops");
        }
    }

    private void read(long offset, int maxBytes, Answer<@Nullable Run> answer) {
        log.read(Math.max(offset, log.startOffset()), maxBytes, Isolation.UNCOMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                ByteBuf bytes = entries.bytes();
                ByteBuf copy = Unpooled.copiedBuffer(bytes);
                bytes.release();
                answer.complete(new Run(copy, entries.nextOffset(), log.startOffset()));
            }

            @Override
            public void atEnd() {
                answer.complete(null);
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                answer.complete(null);
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        });
    }
}
