package io.sluice.kafka.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.kafka.wire.LogRecords;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a fetch: what is asked, what was found, and, in a session, what the client was told last. Belongs to one
 * fetch at a time; its threads hand it on through {@link FetchOperation}'s lock.
 */
public final class FetchPartition {
    private static final short FIRST_TOLD_OF_DIVERGENCE = 12;

    private final Key key;
    private long offset;
    private int maxBytes;
    private int currentEpoch;
    private int lastFetchedEpoch;

    private long toldHighWatermark = -1;
    private long toldLastStable = -1;
    private long toldStart = -1;

    private Errors error = Errors.NONE;
    private long highWatermark = -1;
    private long lastStable = -1;
    private long start = -1;
    private PartitionLog.@Nullable EpochEnd divergence;
    private final List<ByteBuf> pieces = new ArrayList<>(1);
    private final List<Aborted> aborted = new ArrayList<>(0);
    private int bytesFound;
    private long nextOffset;

    /** Bytes of the answer that are its own, found ones included; see {@link AnswerBudget}. */
    private int room;
    /** Bytes it could give beyond its room. */
    private int lacks;

    private boolean readAhead;

    /** Place in the order in which partitions give data: the lower the earlier. */
    private long turn;

    private @Nullable LogWatch watch;
    /** It belongs to the fetch under way. */
    private boolean joined;
    /** The client has taken it out of the session. */
    private boolean forgotten;
    /** There was nothing to read at the offset when it was looked at. */
    private boolean caughtUp;
    /** The client knows all there is to know, so that it need not be looked at before something changes. */
    private boolean settled;

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
        nextOffset = offset;
        maxBytes = asked.partitionMaxBytes();
        currentEpoch = asked.currentLeaderEpoch();
        lastFetchedEpoch = asked.lastFetchedEpoch();
    }

    long turn() {
        return turn;
    }

    void setTurn(long place) {
        turn = place;
    }

    @Nullable
    LogWatch watch() {
        return watch;
    }

    void setWatch(@Nullable LogWatch by) {
        watch = by;
    }

    /** Whether the log is watched for this partition. */
    boolean isWatchedOn(PartitionLog log) {
        LogWatch now = watch;
        return now != null && now.isOn(log);
    }

    /** Becomes part of the fetch that begins or is under way. */
    void join() {
        joined = true;
        settled = false;
        caughtUp = false;
    }

    void leave() {
        joined = false;
    }

    boolean isJoined() {
        return joined;
    }

    void forget() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    boolean isCaughtUp() {
        return caughtUp;
    }

    /** It has changed, and is to be looked at again. */
    void reopen() {
        caughtUp = false;
    }

    boolean isSettled() {
        return settled;
    }

    long offset() {
        return offset;
    }

    int maxBytes() {
        return Math.max(1, maxBytes);
    }

    int bytesFound() {
        return bytesFound;
    }

    /** Where the next read begins. */
    long nextOffset() {
        return nextOffset;
    }

    int room() {
        return room;
    }

    void setRoom(int bytes) {
        room = bytes;
    }

    int lacks() {
        return lacks;
    }

    void setLacking(int bytes) {
        lacks = bytes;
    }

    /** It lacks bytes, and has room for some of them now. */
    boolean mayReadOn() {
        return lacks > 0 && room > bytesFound;
    }

    /** Some of what was found was read before it was known whether there is room for it. */
    boolean isReadAhead() {
        return readAhead;
    }

    void setReadAhead() {
        readAhead = true;
    }

    boolean hasAnswer() {
        return error != Errors.NONE || divergence != null || !pieces.isEmpty();
    }

    /**
     * Refused, and so again if asked at once: there is no such topic or partition, or the client may not read it. Not where it could be
     * read when the client was told of it last.
     */
    boolean isRefusedAgain() {
        return switch (error) {
            case UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, TOPIC_AUTHORIZATION_FAILED -> toldHighWatermark < 0;
            default -> false;
        };
    }

    public void fail(Errors why) {
        error = why;
    }

    /** The client may not read it any more: gives nothing of what was found. */
    void deny() {
        letGo();
        divergence = null;
        error = Errors.TOPIC_AUTHORIZATION_FAILED;
    }

    /** Looks at epochs and bounds. True if there is something to read at the offset. Loop of the log's container. */
    boolean check(PartitionLog log, Isolation isolation) {
        boolean readable = isReadable(log, isolation);
        caughtUp = !readable && !hasAnswer();
        return readable;
    }

    private boolean isReadable(PartitionLog log, Isolation isolation) {
        if (log.isGone()) {
            error = Errors.NOT_LEADER_OR_FOLLOWER;
            return false;
        }
        start = log.startOffset();
        highWatermark = log.durableEnd();
        lastStable = log.readableEnd(Isolation.COMMITTED);
        int epoch = log.leaderEpoch();
        if (currentEpoch >= 0 && currentEpoch != epoch) {
            error = currentEpoch < epoch ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
        } else if (lastFetchedEpoch >= 0 && diverges(log)) {
            return false;
        } else if (offset < start || offset > highWatermark) {
            error = Errors.OFFSET_OUT_OF_RANGE;
        }
        return error == Errors.NONE && offset < log.readableEnd(isolation);
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

    /** Aborted transactions that have entries in what was just read. In the turn in which that came, on the loop of the log's container. */
    List<Aborted> abortedUpTo(long next, PartitionLog log, Isolation isolation) {
        return isolation == Isolation.COMMITTED ? log.transactions().abortedIn(nextOffset, next) : List.of();
    }

    /**
     * Takes over Kafka batches that were read, or made of what was read. Loop of the log's container.
     *
     * @param abortedThere transactions that have entries there, or behind it
     */
    void found(Entries batches, List<Aborted> abortedThere) {
        addAborted(abortedThere, batches.nextOffset());
        add(batches);
    }

    /** Adds the aborted transactions of one piece when it arrives: retention or compaction may drop them before the next piece. */
    private void addAborted(List<Aborted> ofPiece, long end) {
        boolean first = pieces.isEmpty();
        for (Aborted each : ofPiece) {
            // one that began before this piece is known from those before it
            if (each.firstOffset() < end && (first || each.firstOffset() >= nextOffset)) {
                aborted.add(each);
            }
        }
    }

    void add(Entries entries) {
        pieces.add(entries.bytes());
        bytesFound += entries.bytes().readableBytes();
        nextOffset = entries.nextOffset();
    }

    /**
     * The log gives what lies together; more is asked for while less than half of what the client wants is there, so that
     * its limit is passed by one batch at most.
     */
    boolean wantsMore(PartitionLog log, Isolation isolation) {
        return error == Errors.NONE && bytesFound <= maxBytes / 2 && nextOffset < log.readableEnd(isolation);
    }

    /** Bytes from {@link #nextOffset} to the end of what may be read, at least 1; an estimate. Loop of the log's container. */
    long available(PartitionLog log, Isolation isolation) {
        return Math.max(1, log.bytesAfter(nextOffset) - log.bytesAfter(log.readableEnd(isolation)));
    }

    void outOfRange(long startOffset, long endOffset) {
        if (pieces.isEmpty()) {
            start = startOffset;
            highWatermark = endOffset;
            error = Errors.OFFSET_OUT_OF_RANGE;
        }
    }

    /** A read that went on from what was found may fail without harm: the client asks for the rest again. */
    void failUnlessFound(Errors why) {
        if (pieces.isEmpty()) {
            error = why;
        }
    }

    /** Whether an incremental answer must mention this partition; remembers what the client is told by that. */
    boolean tell(boolean always) {
        boolean ends = highWatermark != toldHighWatermark || lastStable != toldLastStable;
        boolean news = always || hasAnswer() || ends || start != toldStart;
        toldHighWatermark = error == Errors.NONE ? highWatermark : -1;
        toldLastStable = error == Errors.NONE ? lastStable : -1;
        toldStart = start;
        settled = caughtUp && !hasAnswer();
        return news;
    }

    /** @param version of the fetch, which need not be the one that said which epoch was read last */
    PartitionData answer(short version) {
        PartitionLog.EpochEnd end = divergence;
        if (end != null && version < FIRST_TOLD_OF_DIVERGENCE) {
            error = Errors.OFFSET_OUT_OF_RANGE;
            end = null;
        }
        PartitionData answer = new PartitionData()
                .setPartitionIndex(key.partition())
                .setErrorCode(error.code())
                .setHighWatermark(error == Errors.NONE ? highWatermark : -1)
                .setLastStableOffset(error == Errors.NONE ? lastStable : -1)
                .setLogStartOffset(error == Errors.NONE ? start : -1)
                .setAbortedTransactions(aborted.stream()
                        .map(each -> new AbortedTransaction()
                                .setProducerId(each.producerId())
                                .setFirstOffset(each.firstOffset()))
                        .toList())
                .setRecords(pieces.isEmpty() ? MemoryRecords.EMPTY : new LogRecords(pieces, bytesFound));
        if (end != null) {
            answer.divergingEpoch().setEpoch(end.epoch()).setEndOffset(end.endOffset());
        }
        return answer;
    }

    /** Gives no data in this answer; what was found is released. */
    void letGo() {
        pieces.forEach(ByteBuf::release);
        pieces.clear();
        aborted.clear();
        bytesFound = 0;
        nextOffset = offset;
        readAhead = false;
    }

    /** Ready for the next fetch; what was found is released. */
    void reset() {
        letGo();
        room = 0;
        lacks = 0;
        error = Errors.NONE;
        divergence = null;
        start = -1;
        highWatermark = -1;
        lastStable = -1;
    }
}
