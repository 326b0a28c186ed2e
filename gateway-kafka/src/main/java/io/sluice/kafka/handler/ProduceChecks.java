package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.format.BatchRules;
import io.sluice.kafka.format.BatchValidator;
import io.sluice.kafka.format.Decompressors;
import io.sluice.kafka.format.WalkBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The batches of a produce request on their way through {@link BatchValidator}: on the connection's loop, where their bytes
 * are in the processor's cache, as far as {@link WalkBudget#ofLoop} goes; what is left of a request that is large or expands
 * a lot on a thread of its own, for one request of all connections at a time, which bounds the memory and the processors
 * that decompression takes.
 */
final class ProduceChecks implements RequestContext.OffLoop {
    private final RequestContext context;
    private final ProduceRequest request;
    private final ByteBuf body;
    private final long now;
    private final Semaphore turn;
    private final List<ProducePart> parts = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();
    private int checked;

    private record Batch(ProducePart part, PartitionLog log, BatchRules rules, int at, int length) {}

    /**
     * @param body borrowed while on the connection's loop
     * @param now milliseconds since the epoch
     * @param turn to be had while walking elsewhere
     */
    ProduceChecks(RequestContext context, ProduceRequest request, ByteBuf body, long now, Semaphore turn) {
        this.context = context;
        this.request = request;
        this.body = body;
        this.now = now;
        this.turn = turn;
    }

    void add(ProducePart part, PartitionLog log, BatchRules rules, ProduceRequest.Partition records) {
        parts.add(part);
        batches.add(new Batch(part, log, rules, records.at(), records.length()));
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
            Batch batch = batches.get(checked);
            ByteBuf records = body.slice(batch.at(), batch.length());
            BatchValidator.Refusal refusal =
                    BatchValidator.check(records, context.version(), batch.rules(), now, budget);
            if (refusal != null) {
                batch.part().refuse(refusal);
            } else {
                batch.part().append(batch.log(), records.retain(), batch.rules().logAppendTime() ? now : -1);
            }
        }
    }

    private void append() {
        new ProduceOperation(context, request.acks(), parts).start(request.timeoutMs());
    }

    @Override
    public void run() {
        turn.acquireUninterruptibly();
        try {
            check(WalkBudget.unlimited());
        } catch (WalkBudget.Spent e) {
            throw new IllegalStateException("a budget without limit was spent", e);
        } finally {
            Decompressors.release();
            turn.release();
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
