package io.sluice.kafka.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.wire.LogRecords;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a fetch: what is asked, what was found, and, in a session, what the client was told last. Belongs to one
 * fetch at a time; its threads hand it on through {@link FetchOperation}'s lock.
 */
public final class FetchPartition {
    private final Key key;
    private long offset;
    private int maxBytes;
    private int currentEpoch;
    private int lastFetchedEpoch;

    private long toldHighWatermark = -1;
    private long toldStart = -1;

    private Errors error = Errors.NONE;
    private long highWatermark = -1;
    private long start = -1;
    private PartitionLog.@Nullable EpochEnd divergence;
    private @Nullable ByteBuf records;

    /** @param topic empty when {@code topicId} is given instead */
    public record Key(String topic, Uuid topicId, int partition) {}

    FetchPartition(Key key) {
        this.key = key;
    }

    public Key key() {
        return key;
    }

    void ask(FetchRequestData.FetchPartition asked) {
        offset = asked.fetchOffset();
        maxBytes = asked.partitionMaxBytes();
        currentEpoch = asked.currentLeaderEpoch();
        lastFetchedEpoch = asked.lastFetchedEpoch();
    }

    long offset() {
        return offset;
    }

    int maxBytes() {
        return Math.max(1, maxBytes);
    }

    int bytesFound() {
        ByteBuf found = records;
        return found == null ? 0 : found.readableBytes();
    }

    boolean hasAnswer() {
        return error != Errors.NONE || divergence != null || records != null;
    }

    public void fail(Errors why) {
        error = why;
    }

    /** Looks at epochs and bounds. True if there is something to read at the offset. Loop of the log's container. */
    boolean check(PartitionLog log) {
        start = log.startOffset();
        highWatermark = log.endOffset();
        int epoch = log.leaderEpoch();
        if (currentEpoch >= 0 && currentEpoch != epoch) {
            error = currentEpoch < epoch ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
        } else if (lastFetchedEpoch >= 0 && diverges(log)) {
            return false;
        } else if (offset < start || offset > highWatermark) {
            error = Errors.OFFSET_OUT_OF_RANGE;
        }
        return error == Errors.NONE && offset < highWatermark;
    }

    /** KIP-320: the reader's log went another way after this point. */
    private boolean diverges(PartitionLog log) {
        PartitionLog.EpochEnd end = log.endOfEpoch(lastFetchedEpoch);
        if (end.epoch() < 0) {
            error = Errors.OFFSET_OUT_OF_RANGE;
            return true;
        }
        if (end.epoch() < lastFetchedEpoch || end.endOffset() < offset) {
            divergence = end;
            return true;
        }
        return false;
    }

    /** Takes over what was read. */
    void found(Entries entries) {
        if (entries.format() == EntryFormat.KAFKA_V2) {
            records = entries.bytes();
        } else {
            entries.bytes().release();
            // Consumers report it with the offset and stop; nothing they could retry would help.
            error = Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT;
        }
    }

    void outOfRange(long startOffset, long endOffset) {
        start = startOffset;
        highWatermark = endOffset;
        error = Errors.OFFSET_OUT_OF_RANGE;
    }

    /** Whether an incremental answer must mention this partition; remembers what the client is told by that. */
    boolean tell(boolean always) {
        boolean news = always || hasAnswer() || highWatermark != toldHighWatermark || start != toldStart;
        toldHighWatermark = error == Errors.NONE ? highWatermark : -1;
        toldStart = start;
        return news;
    }

    PartitionData answer() {
        ByteBuf found = records;
        PartitionData answer = new PartitionData()
                .setPartitionIndex(key.partition())
                .setErrorCode(error.code())
                .setHighWatermark(error == Errors.NONE ? highWatermark : -1)
                .setLastStableOffset(error == Errors.NONE ? highWatermark : -1)
                .setLogStartOffset(error == Errors.NONE ? start : -1)
                .setAbortedTransactions(List.of())
                .setRecords(found == null ? MemoryRecords.EMPTY : new LogRecords(found));
        PartitionLog.EpochEnd end = divergence;
        if (end != null) {
            answer.divergingEpoch().setEpoch(end.epoch()).setEndOffset(end.endOffset());
        }
        return answer;
    }

    /** Ready for the next fetch; what was found is released. */
    void reset() {
        if (records != null) {
            records.release();
            records = null;
        }
        error = Errors.NONE;
        divergence = null;
        start = -1;
        highWatermark = -1;
    }
}
