package io.sluice.pulsar.connection;

import io.sluice.pulsar.topic.ServiceUrls;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Producers whose partitions are not here any more, until all that the partition took has its receipt, and until it is known which node
 * has it now: told then, their clients go there at once, without a look-up. What they send meanwhile is dropped, and sent again there.
 * Consumers are told at once: what they acknowledge meanwhile would be lost.
 *
 * <p>A client that is told before the receipts sends all of it again. The new place knows it by its sequence ids; but if that is a segment
 * which is sealed by then, the client of a scalable topic takes it to another one, which does not.
 *
 * <pre>
 *   partition gone ─► receipts ─┬─► the owner is known: CLOSE_PRODUCER with its address
 *                               └─► the time is over: CLOSE_PRODUCER, the client looks the topic up
 * </pre>
 *
 * <p>Likewise those of topics that have migrated to another cluster (ADR 0114).
 *
 * <p>Event loop only.
 */
public final class LeavingProducers {
    /** About as long as a container takes from one node to the other in order. */
    private static final long MOST_MILLIS = 3_000;

    /** As long as clients wait for a receipt by default. What has none by then they send to the other cluster, too. */
    private static final long MOST_MILLIS_TO_CLUSTER = 30_000;

    private final ClusterWaits waits;
    private final Outbound out;
    private final NewPlaces places;
    private final Redirects redirects;
    private final Map<Long, Leaving> byId = new HashMap<>();

    private record Leaving(ClientProducer producer, ClusterWaits.Wait telling) {}

    LeavingProducers(ClusterWaits waits, Outbound out, NewPlaces places, Redirects redirects) {
        this.waits = waits;
        this.out = out;
        this.places = places;
        this.redirects = redirects;
    }

    void add(ClientProducer producer) {
        add(producer, last -> tell(producer, last), MOST_MILLIS);
    }

    /** Producers of a topic that has migrated: their clients go to the other cluster, which knows nothing of what was sent here. */
    void addMigrated(ClientProducer producer) {
        add(producer, last -> tellOfCluster(producer, last), MOST_MILLIS_TO_CLUSTER);
    }

    private void add(ClientProducer producer, ClusterWaits.Wait wait, long millis) {
        byId.put(producer.session().id(), new Leaving(producer, wait));
        producer.whenAnswered(() -> waits.look(wait));
        waits.add(wait, millis);
    }

    private boolean tell(ClientProducer producer, boolean last) {
        NewPlaces.Place now = places.of(producer.partition());
        if (!(now.settled() && producer.isAnswered()) && !last) {
            return false;
        }
        long id = producer.session().id();
        byId.remove(id);
        producer.close();
        out.write(Commands.newCloseProducer(id, -1, ServiceUrls.plain(now.url()), ServiceUrls.secure(now.url())));
        return true;
    }

    private boolean tellOfCluster(ClientProducer producer, boolean last) {
        if (!producer.isAnswered() && !last) {
            return false;
        }
        long id = producer.session().id();
        byId.remove(id);
        producer.close();
        redirects.tell(ResourceType.Producer, id, producer.topic());
        out.write(Commands.newCloseProducer(id, -1, null, null));
        return true;
    }

    /** The client has closed the producer, creates it again, or was told already: there is nothing more for it. */
    public void forget(long producerId) {
        Leaving leaving = byId.remove(producerId);
        if (leaving != null) {
            leaving.producer().close();
            waits.remove(leaving.telling());
        }
    }
}
