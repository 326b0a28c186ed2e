package io.sluice.pulsar.connection;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.rates.PublishPace;
import io.sluice.transactions.Participant;
import java.util.ArrayList;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** The sends of a connection's producers, from a socket read to their answers. Event loop only. */
public final class Publishing implements ClientProducer.Answers {
    private final Outbound out;
    private final Attachments attached;
    private final Handshake handshake;
    private final PendingPublishes publishes;
    private final ClientProducer.Link link;

    Publishing(
            Outbound out,
            Attachments attached,
            Handshake handshake,
            PendingPublishes publishes,
            PulsarMeters meters,
            ClientTransactions transactions) {
        this.out = out;
        this.attached = attached;
        this.handshake = handshake;
        this.publishes = publishes;
        this.link = new ClientProducer.Link(out, this, meters, transactions);
    }

    /** @param partition what transactions know the log by */
    public ClientProducer producer(ProducerSession session, TopicName topic, PartitionLog log, Participant partition) {
        return new ClientProducer(link, session, topic, log, partition);
    }

    ClientProducer.Link link() {
        return link;
    }

    /** Queues the send for its container; it goes with the others of this read. */
    public void append(ClientProducer producer, PendingSend send) {
        producer.add(send);
        publishes.add(send);
        if (!out.isReading()) {
            publishes.submit();
        }
    }

    /** Counts bytes that are published and go to no log. */
    public void count(int bytes) {
        publishes.count(bytes);
    }

    /** Has the client wait that publishes to a topic faster than it may. */
    public void pauseWhile(PublishPace pace) {
        publishes.pauseWhile(pace);
    }

    /** Answers a send that never goes to the log, in its turn. */
    public void answer(ClientProducer producer, PendingSend refused) {
        producer.add(refused);
        publishes.addRefused();
        refused.emit();
    }

    @Override
    public void settled(int bytes) {
        publishes.settled(bytes);
    }

    @Override
    public void pause(long millis) {
        publishes.pause(millis);
    }

    /** For a send that will never be accepted, so that the client does not wait for it or try it again. */
    @Override
    public boolean closesInstead(ProducerSession session, ServerError error, String message) {
        if (!FinalRefusals.isFinal(error) || !FinalRefusals.areFor(handshake.clientVersion())) {
            return false;
        }
        long id = session.id();
        attached.finalRefusals().keep(id, error, message);
        ClientProducer producer = attached.producers().get(id);
        if (producer != null && producer.session() == session) {
            attached.producers().remove(id);
            detach(producer, null);
        }
        attached.leavingProducers().forget(id);
        out.write(Commands.newCloseProducer(id, -1, null, null));
        return true;
    }

    /** Takes the producer off its partition; {@code done} runs on the event loop afterwards. */
    public void detach(ClientProducer p, @Nullable Runnable done) {
        p.close();
        publishes.submit();
        // behind the producer's own appends, which use the same queue
        p.log().container().executeAppend(new DetachTask(out, done, () -> {
            PartitionHub hub = p.hub();
            if (hub != null) {
                hub.remove(p.session());
            }
        }));
    }

    /** The connection is gone. */
    void detachAll() {
        publishes.submit();
        for (ClientProducer p : new ArrayList<>(attached.producers().values())) {
            detach(p, null);
        }
    }
}
