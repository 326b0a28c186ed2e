package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.share.InFlightRecords.Acquired;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** One partition of a request of a share group: what is asked, what became of it. Under the request's lock. */
final class SharePart {
    private final ShareSession.Place place;
    /** Null if there is no such partition here: then there is an error. */
    private final @Nullable PartitionLog log;

    private final List<AckBatch> acks;
    private final boolean fetched;
    private Errors error;
    private Errors ackError = Errors.NONE;
    private final List<ByteBuf> pieces = new ArrayList<>(1);
    private int bytes;
    private final List<Acquired> acquired = new ArrayList<>(1);

    /**
     * @param acks empty if nothing is acknowledged
     * @param fetched whether records are asked for
     */
    SharePart(
            ShareSession.Place place, @Nullable PartitionLog log, Errors error, List<AckBatch> acks, boolean fetched) {
        this.place = place;
        this.log = log;
        this.error = error;
        this.acks = acks;
        this.fetched = fetched;
        if (!acks.isEmpty()) {
            ackError = error;
        }
    }

    ShareSession.Place place() {
        return place;
    }

    @Nullable
    PartitionLog log() {
        return log;
    }

    List<AckBatch> acks() {
        return acks;
    }

    boolean isAcknowledged() {
        return !acks.isEmpty();
    }

    /** Whether records are to be read. */
    boolean isOpen() {
        return fetched && log != null && error == Errors.NONE && pieces.isEmpty();
    }

    Errors error() {
        return error;
    }

    void fail(Errors why) {
        error = why;
    }

    Errors ackError() {
        return ackError;
    }

    void failAck(Errors why) {
        ackError = why;
    }

    /** @param batches owned by this */
    void found(ByteBuf batches, List<Acquired> offsets) {
        pieces.add(batches);
        bytes += batches.readableBytes();
        acquired.addAll(offsets);
    }

    List<ByteBuf> pieces() {
        return pieces;
    }

    int bytes() {
        return bytes;
    }

    List<Acquired> acquired() {
        return acquired;
    }

    /** Whether the client is to be told something. */
    boolean hasNews() {
        return isAcknowledged() || fetched && error != Errors.NONE || !pieces.isEmpty();
    }

    /** The client may not read it any more. */
    void deny() {
        release();
        error = Errors.TOPIC_AUTHORIZATION_FAILED;
    }

    void release() {
        pieces.forEach(ByteBuf::release);
        pieces.clear();
        acquired.clear();
        bytes = 0;
    }
}
