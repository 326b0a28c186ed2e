package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.WriteGate;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.format.BadRecord;
import io.sluice.kafka.format.BatchValidator;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** One partition of a produce request: the batch on its way in, then what became of it. */
final class ProducePart implements LoopTask, AppendReply {
    private static final VarHandle ENTRY;

    static {
        try {
            ENTRY = MethodHandles.lookup().findVarHandle(ProducePart.class, "entry", ByteBuf.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String topic;
    private final Uuid topicId;
    private final int index;
    private @Nullable PartitionLog log;
    /** Taken by the first of the two: the loop that appends it, or the deadline. */
    @SuppressWarnings("UnusedVariable") // read through ENTRY
    private volatile @Nullable ByteBuf entry;

    /** Null if the request is of no transaction. */
    private @Nullable ProduceTransaction transaction;

    /** Null, with the name, for what is never kept out. */
    private @Nullable WriteGate gate;

    private @Nullable TopicName name;

    /** How often the coordinator may still be asked. */
    private int questions = ProduceVerification.MOST_QUESTIONS;

    private boolean transactional;
    private long producerId;
    private short producerEpoch;
    private int sequence;

    private @Nullable Owner owner;
    private @Nullable ProduceEvent event;
    private long appendTime = -1;
    private long baseOffset = -1;
    private long startOffset = -1;
    private @Nullable String message;
    private List<BadRecord> badRecords = List.of();

    /** Null while the append is under way; written last, so that it publishes the rest. */
    private volatile @Nullable Errors error;

    /** The request that the part belongs to. */
    interface Owner {
        /** The part's append has ended; once. */
        void partDone();
    }

    ProducePart(String topic, Uuid topicId, int index) {
        this.topic = topic;
        this.topicId = topicId;
        this.index = index;
    }

    /** Before it is appended. */
    void in(ProduceTransaction of) {
        transaction = of;
    }

    /** Before it is appended: asks there whether the topic still takes records. */
    void guardBy(WriteGate of, TopicName topicName) {
        gate = of;
        name = topicName;
    }

    void refuse(Errors why, @Nullable String explanation) {
        message = explanation;
        error = why;
    }

    void refuse(BatchValidator.Refusal refusal) {
        badRecords = refusal.records();
        refuse(refusal.error(), refusal.message());
    }

    /** @param records owned by this from now on */
    void append(PartitionLog to, ByteBuf records, long logAppendTime) {
        log = to;
        int at = records.readerIndex();
        transactional = EntryHeader.isTransactional(records, at);
        producerId = EntryHeader.producerId(records, at);
        producerEpoch = EntryHeader.producerEpoch(records, at);
        sequence = EntryHeader.baseSequence(records, at);
        entry = records;
        appendTime = logAppendTime;
    }

    @Nullable
    PartitionLog log() {
        return log;
    }

    String topic() {
        return topic;
    }

    Uuid topicId() {
        return topicId;
    }

    boolean isRefused() {
        Errors e = error;
        return e != null && e != Errors.NONE;
    }

    /**
     * Queues the append, if there is one.
     *
     * @param trace told of its stages; null if nothing records them
     */
    void submit(Owner of, @Nullable ProduceEvent trace) {
        PartitionLog to = log;
        if (to != null) {
            owner = of;
            event = trace;
            to.container().executeAppend(this);
        }
    }

    @Override
    public void run() {
        if (event != null) {
            event.taken();
        }
        ProduceTransaction of = transaction;
        PartitionLog to = Objects.requireNonNull(log);
        if (of == null && transactional) {
            // As Kafka, who cannot tell whether the client may write in this transaction.
            release();
            finish(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, null);
            return;
        }
        if (of == null || !transactional || to.transactions().isOpen(producerId, producerEpoch)) {
            append();
            return;
        }
        // With a new epoch for each transaction every one begins with 0.
        ProduceVerification.ask(this, to, of, producerId, producerEpoch, of.bumps() ? 0 : sequence);
    }

    /** Whether the coordinator may be asked once more. */
    boolean takeQuestion() {
        return --questions > 0;
    }

    /** The coordinator does not know of the transaction. */
    void unverified(Errors why) {
        release();
        finish(why, null);
    }

    /** In this turn. */
    void append() {
        ByteBuf bytes = take();
        if (bytes == null) {
            return;
        }
        if (isKeptOut()) {
            bytes.release();
            return;
        }
        try {
            Objects.requireNonNull(log).append(bytes, this);
            if (event != null) {
                event.appended();
            }
        } catch (RuntimeException e) {
            if (error == null) {
                finish(Errors.UNKNOWN_SERVER_ERROR, null);
            }
            throw e;
        }
    }

    /** In the turn of the append: whoever waits for the topic's end may rely on it. */
    private boolean isKeptOut() {
        if (gate == null || name == null) {
            return false;
        }
        if (!gate.isDecided()) {
            finish(Errors.LEADER_NOT_AVAILABLE, null); // producers come again
            return true;
        }
        String why = gate.whyNot(name);
        if (why != null) {
            finish(Errors.POLICY_VIOLATION, why);
        }
        return why != null;
    }

    @Override
    public void abandoned(StoreFailure why) {
        release();
        failed(why);
    }

    /** The client has been answered: what still waits for its turn is not appended, so that its memory is free. Any thread. */
    void release() {
        ByteBuf bytes = take();
        if (bytes != null) {
            bytes.release();
        }
    }

    private @Nullable ByteBuf take() {
        return (ByteBuf) ENTRY.getAndSet(this, null);
    }

    @Override
    public void appended(long first, long last) {
        if (event != null) {
            event.durable();
        }
        baseOffset = first;
        startOffset = Objects.requireNonNull(log).startOffset();
        finish(Errors.NONE, null);
    }

    @Override
    public void duplicate(long first, long last) {
        PartitionLog of = Objects.requireNonNull(log);
        baseOffset = first;
        startOffset = of.startOffset();
        if (first >= 0 && appendTime >= 0) {
            of.read(first, 1, Isolation.UNCOMMITTED, new FirstAppend(first, time -> {
                appendTime = time;
                finish(Errors.NONE, null);
            }));
            return;
        }
        // Producers take DUPLICATE_SEQUENCE_NUMBER for a success whose offset is unknown.
        finish(first >= 0 ? Errors.NONE : Errors.DUPLICATE_SEQUENCE_NUMBER, null);
    }

    @Override
    public void rejected(AppendRejection why) {
        if (tellsStart(why)) {
            startOffset = Objects.requireNonNull(log).startOffset();
        }
        finish(KafkaErrors.of(why), why.message());
    }

    /** As in Kafka, who finds the last of these before it looks at the log. */
    private boolean tellsStart(AppendRejection why) {
        return switch (why) {
            case AppendRejection.OutOfOrderSequence _, AppendRejection.InvalidTransaction _ -> true;
            case AppendRejection.StaleProducerEpoch _ -> !transactional;
            default -> false;
        };
    }

    @Override
    public void failed(StoreFailure why) {
        finish(KafkaErrors.toProducer(why), why.message());
    }

    private void finish(Errors how, @Nullable String explanation) {
        refuse(how, explanation);
        Objects.requireNonNull(owner).partDone();
    }

    /** In the answer; a part still under way is one that timed out. */
    PartitionProduceResponse response() {
        Errors now = error;
        PartitionProduceResponse answer = new PartitionProduceResponse().setIndex(index);
        if (now == null) {
            return answer.setErrorCode(Errors.REQUEST_TIMED_OUT.code()).setBaseOffset(-1);
        }
        return answer.setErrorCode(now.code())
                .setErrorMessage(message)
                .setRecordErrors(recordErrors())
                .setBaseOffset(baseOffset)
                .setLogAppendTimeMs(now == Errors.NONE ? appendTime : -1)
                .setLogStartOffset(startOffset);
    }

    private List<BatchIndexAndErrorMessage> recordErrors() {
        return badRecords.stream()
                .map(bad -> new BatchIndexAndErrorMessage()
                        .setBatchIndex(bad.index())
                        .setBatchIndexErrorMessage(bad.why()))
                .toList();
    }
}
