package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.format.BatchRules;
import io.sluice.kafka.format.BatchValidator;
import io.sluice.kafka.format.Decompressors;
import io.sluice.kafka.format.Recompression;
import io.sluice.kafka.format.WalkBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a produce request on their way through {@link BatchValidator}: on the connection's loop, where their bytes
 * are in the processor's cache, as far as {@link WalkBudget#ofLoop} goes; what is left of a request that is large, expands
 * a lot, or has batches that are to be stored in another compression (docs/adr/0028), on a thread of its own, for as many
 * requests of all connections at a time as there are processors and memory for, first come, first served.
 *
 * <p>A request whose time is up gives its turn away: what of it was not checked is answered REQUEST_TIMED_OUT, which producers send
 * again. So the wait for a turn is bounded by the producers' own timeouts.
 */
final class ProduceChecks implements RequestContext.OffLoop {
    private final RequestContext context;
    private final ProduceRequest request;
    private final ByteBuf body;
    private final KafkaServices services;
    /** Milliseconds since the epoch. */
    private final long now;

    private final Semaphore turns;
    private final LongSupplier nanoTime;
    private final long deadline;
    private final List<ProducePart> parts = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();
    private int checked;
    /** Null unless the flight recorder wants it. */
    private final @Nullable ProduceEvent event;

    private record Batch(ProducePart part, PartitionLog log, ProduceHandler.Target target, int at, int length) {}

    /**
     * @param body borrowed while on the connection's loop
     * @param turns one is to be had while walking elsewhere
     */
    ProduceChecks(
            RequestContext context,
            ProduceRequest request,
            ByteBuf body,
            KafkaServices services,
            Semaphore turns,
            LongSupplier nanoTime) {
        this.context = context;
        this.request = request;
        this.body = body;
        this.services = services;
        this.now = services.clock().getAsLong();
        this.turns = turns;
        this.nanoTime = nanoTime;
        this.event = ProduceEvent.start();
        this.deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, request.timeoutMs()));
    }

    void add(ProducePart part, PartitionLog log, ProduceHandler.Target target, ProduceRequest.Partition records) {
        parts.add(part);
        batches.add(new Batch(part, log, target, records.at(), records.length()));
    }

    void addRefused(ProducePart part, Errors why, @Nullable String message) {
        part.refuse(why, message);
        parts.add(part);
    }

    /** When all are added; ends with the appends under way or the request answered. */
    void start(Executor elsewhere) {
        try {
            check(WalkBudget.ofLoop());
        } catch (WalkBudget.Spent e) {
            body.retain();
            context.offLoop(elsewhere, this);
            return;
        } catch (RuntimeException e) {
            parts.forEach(ProducePart::release);
            throw e;
        }
        append();
    }

    private void check(WalkBudget budget) throws WalkBudget.Spent {
        for (; checked < batches.size(); checked++) {
            check(batches.get(checked), budget);
        }
    }

    private void check(Batch batch, WalkBudget budget) throws WalkBudget.Spent {
        BatchRules rules = batch.target().rules();
        Compression wanted = batch.target().compression();
        ByteBuf records = body.slice(batch.at(), batch.length());
        boolean recompress = wanted != null && Recompression.isNeeded(records, wanted);
        if (recompress) {
            budget.needsTime();
        }
        BatchValidator.Refusal refusal = BatchValidator.check(records, context.version(), rules, now, budget);
        if (refusal != null) {
            batch.part().refuse(refusal);
        } else if (recompress) {
            recompress(batch, records, Objects.requireNonNull(wanted));
        } else {
            append(batch, records.retain());
        }
    }

    private void recompress(Batch batch, ByteBuf records, Compression wanted) {
        ByteBuf made;
        try {
            made = Recompression.of(records, wanted, batch.target().rules().maxBytes());
        } catch (Recompression.Refused e) {
            batch.part().refuse(e.refusal());
            return;
        }
        if (context.holdMore(made.readableBytes())) {
            append(batch, made);
        } else {
            made.release();
            batch.part().refuse(Errors.REQUEST_TIMED_OUT, "requests under way take all the memory that they may");
        }
    }

    private void append(Batch batch, ByteBuf entry) {
        batch.part().append(batch.log(), entry, batch.target().rules().logAppendTime() ? now : -1);
    }

    private void append() {
        if (event != null) {
            event.checked(parts.size(), batches.stream().mapToInt(Batch::length).sum());
        }
        new ProduceOperation(context, services, request.acks(), parts, event).start(Math.max(0, millisLeft()));
    }

    private int millisLeft() {
        return (int) TimeUnit.NANOSECONDS.toMillis(deadline - nanoTime.getAsLong());
    }

    @Override
    public void run() {
        if (event != null) {
            event.changesThread();
        }
        if (!takeTurn()) {
            giveUp();
            return;
        }
        try {
            checkInTime();
        } finally {
            Decompressors.release();
            turns.release();
        }
    }

    private boolean takeTurn() {
        try {
            return turns.tryAcquire(Math.max(0, deadline - nanoTime.getAsLong()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void checkInTime() {
        WalkBudget budget = WalkBudget.unlimited();
        try {
            for (; checked < batches.size(); checked++) {
                if (deadline - nanoTime.getAsLong() < 0) {
                    giveUp();
                } else {
                    check(batches.get(checked), budget);
                }
            }
        } catch (WalkBudget.Spent e) {
            throw new IllegalStateException("a budget without limit was spent", e);
        }
    }

    private void giveUp() {
        for (; checked < batches.size(); checked++) {
            batches.get(checked)
                    .part()
                    .refuse(Errors.REQUEST_TIMED_OUT, "other requests with large or compressed batches came first");
        }
    }

    @Override
    public void done() {
        body.release();
        append();
    }

    @Override
    public void dropped() {
        body.release();
        parts.forEach(ProducePart::release);
    }
}
