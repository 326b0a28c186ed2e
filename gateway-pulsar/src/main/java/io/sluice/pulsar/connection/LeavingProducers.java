package io.sluice.pulsar.connection;

import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.transactions.Participant;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.protocol.Commands;

/**
 * Producers whose partitions are not here any more, until it is known which node has them now: told then, their clients go there at once,
 * without a look-up. Meanwhile their sends are dropped, and sent again there. Consumers are told at once: what they acknowledge meanwhile
 * would be lost.
 *
 * <pre>
 *   partition gone ─┬─► the owner is known: CLOSE_PRODUCER with its address
 *                   └─► the time is over: CLOSE_PRODUCER, the client looks the topic up
 * </pre>
 *
 * Event loop only.
 */
public final class LeavingProducers {
    /** About as long as a container takes from one node to the other in order. */
    private static final long MOST_MILLIS = 3_000;

    private final ClusterWaits waits;
    private final Outbound out;
    private final NewPlaces places;
    private final Map<Long, ClusterWaits.Wait> byId = new HashMap<>();

    LeavingProducers(ClusterWaits waits, Outbound out, NewPlaces places) {
        this.waits = waits;
        this.out = out;
        this.places = places;
    }

    void add(long producerId, Participant partition) {
        ClusterWaits.Wait wait = last -> tell(producerId, partition, last);
        byId.put(producerId, wait);
        waits.add(wait, MOST_MILLIS);
    }

    private boolean tell(long producerId, Participant partition, boolean last) {
        NewPlaces.Place now = places.of(partition);
        if (!now.settled() && !last) {
            return false;
        }
        byId.remove(producerId);
        out.write(
                Commands.newCloseProducer(producerId, -1, ServiceUrls.plain(now.url()), ServiceUrls.secure(now.url())));
        return true;
    }

    /** The client has closed the producer, or creates it again: there is nothing to be told. */
    public void forget(long producerId) {
        ClusterWaits.Wait wait = byId.remove(producerId);
        if (wait != null) {
            waits.remove(wait);
        }
    }
}
