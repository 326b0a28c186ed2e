package io.sluice.pulsar.connection;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.format.SourcePosition;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.rates.TopicBounds;
import io.sluice.store.segment.LoopTask;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import java.util.ArrayDeque;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/** A producer as its connection sees it. Event loop only, but for what says otherwise. */
public final class ClientProducer {
    /** Between two looks whether a producer that was too fast still has to wait. */
    private static final long PAUSE_MILLIS = 500;

    /** So much longer its connection waits, to hear of the next look. */
    private static final long OVERLAP_MILLIS = 250;

    private final Link link;
    private final ProducerSession session;
    private final TopicName topic;
    private final PartitionLog log;
    private final Participant partition;
    private final boolean replicator;
    private final ArrayDeque<PendingSend> unanswered = new ArrayDeque<>();
    private @Nullable Told told;
    private boolean closed;
    private @Nullable Runnable whenAnswered;
    /** Written on the container's loop before the producer is ready, read there. */
    private @Nullable PartitionHub hub;
    /** Container's loop only; null before the first send in a transaction. */
    private @Nullable SendVerification verification;
    /** Container's loop only: a look is to come. */
    private boolean pausing;

    /**
     * Facts of a producer that is ready.
     *
     * @param topicEpoch -1 for a shared producer
     * @param schemaVersion null without a schema
     */
    public record Told(long topicEpoch, @Nullable Long schemaVersion) {}

    /** Port: the publishing side of a connection, as its producers' sends see it. Event loop only. */
    interface Answers {
        /** A send was answered, or never will be. */
        void settled(int bytes);

        /** Whether the producer was closed and its client is told so, in place of the answer to its send, which is refused. */
        boolean closesInstead(ProducerSession producer, ServerError error, String message);

        /** The connection is not read for so long. */
        void pause(long millis);
    }

    /** Parts of a connection that all its producers use. */
    record Link(Outbound out, Answers answers, PulsarMeters meters, SendVerification.Coordinator coordinator) {}

    /** @param partition what transactions know the log by */
    ClientProducer(Link link, ProducerSession session, TopicName topic, PartitionLog log, Participant partition) {
        this.link = link;
        this.topic = topic;
        this.session = session;
        this.log = log;
        this.partition = partition;
        this.replicator = SourcePosition.isReplicator(session.name());
    }

    Outbound out() {
        return link.out();
    }

    Answers answers() {
        return link.answers();
    }

    /** A send was acknowledged to its client. */
    void receipted(long nanos) {
        link.meters().receipted(nanos);
    }

    public ProducerSession session() {
        return session;
    }

    public TopicName topic() {
        return topic;
    }

    public PartitionLog log() {
        return log;
    }

    /** Whether it brings messages of another cluster. */
    public boolean isReplicator() {
        return replicator;
    }

    /** Partition as transactions know it. */
    Participant partition() {
        return partition;
    }

    /** -1 where sends are not looked at for duplicates. */
    public long dedupId() {
        return session.dedupId();
    }

    /** Container's loop only, before the producer is ready. */
    public void joined(PartitionHub at, long producerId) {
        hub = at;
        session.deduplicateAs(producerId);
    }

    /** Bounds that hold for what it sends; once it is ready. */
    public TopicBounds bounds() {
        PartitionHub at = hub;
        return at == null ? TopicBounds.NONE : at.rates().rates().bounds();
    }

    /** Container's loop only. */
    public @Nullable PartitionHub hub() {
        return hub;
    }

    /** Container's loop only; null if no send has asked for its transaction. */
    @Nullable
    SendVerification verification() {
        return verification;
    }

    /** Container's loop only: has the send appended once its transaction's coordinator has said yes. */
    void verify(PendingSend send, SingleTransaction transaction) {
        createVerification().ask(send, transaction);
    }

    /** Container's loop only: {@link SendVerification#allows}. */
    boolean maySendIn(SingleTransaction transaction) {
        return createVerification().allows(transaction);
    }

    private SendVerification createVerification() {
        if (verification == null) {
            verification = new SendVerification(log, partition, link.coordinator());
        }
        return verification;
    }

    public boolean isReady() {
        return told != null && !closed;
    }

    /** @param told what its client was told of it */
    public void ready(Told told) {
        this.told = told;
    }

    /** Null before it is ready. */
    public @Nullable Told told() {
        return told;
    }

    /** No more receipts: the client has been told, or is gone. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Container's loop only. */
    void published(int messages, int bytes) {
        if (hub != null) {
            hub.published(session, messages, bytes);
        }
        link.meters().published(messages, bytes);
    }

    /** Container's loop only: counts what it is about to publish, and has its connection wait if that is too much. */
    void count(int messages, int bytes) {
        if (hub != null) {
            pause(hub.rates().published(messages, bytes));
        }
    }

    /** In steps, since a rate may rise meanwhile. */
    private void pause(long millis) {
        if (millis <= 0) {
            return;
        }
        long step = Math.min(millis, PAUSE_MILLIS + OVERLAP_MILLIS);
        link.out().execute(() -> link.answers().pause(step));
        if (millis > step && !pausing) {
            pausing = true;
            // a connection that waits for a container that stops goes on by itself
            log.container().schedule(PAUSE_MILLIS, LoopTask.of(() -> {
                pausing = false;
                if (hub != null && session.attached()) {
                    pause(hub.rates().publishWait());
                }
            }));
        }
    }

    void add(PendingSend send) {
        unanswered.add(send);
    }

    /** Clients take a receipt out of order for a lost message, so an early answer waits for those before it. */
    void answerInOrder() {
        for (PendingSend s = unanswered.peek(); s != null && s.answered(); s = unanswered.peek()) {
            unanswered.remove();
            link.answers().settled(s.parcel().bytes());
            if (closed || s.dropped()) {
                continue;
            }
            s.sendAnswer();
        }
        Runnable waiting = whenAnswered;
        if (waiting != null && isAnswered()) {
            whenAnswered = null;
            waiting.run();
        }
    }

    /** Whether nothing of what was sent waits for its answer. */
    boolean isAnswered() {
        return unanswered.isEmpty();
    }

    /** Runs {@code then} behind the answer to the last send that waits for one. */
    void whenAnswered(Runnable then) {
        whenAnswered = then;
    }
}
