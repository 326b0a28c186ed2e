package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.transactions.Participant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Producers whose partitions are not here any more, until it is known which node has them now: told then, their clients go there at once,
 * and not to nodes that do not know it yet. Meanwhile their sends are dropped, and sent again there. Consumers are told at once: what they
 * acknowledge meanwhile would be lost.
 *
 * <pre>
 *   partition gone ─► looks every 50 ms ─┬─► the owner is known: CLOSE_PRODUCER with its address
 *                                        └─► the time is over: CLOSE_PRODUCER, the client looks the topic up
 * </pre>
 *
 * Event loop only.
 */
public final class LeavingProducers {
    private static final long LOOK_MILLIS = 50;
    /** Three seconds: about as long as a container takes from one node to the other in order. */
    private static final int MOST_LOOKS = 60;

    private final Channel channel;
    private final Outbound out;
    private final NewPlaces places;
    private final Map<Long, Leaving> byId = new LinkedHashMap<>();
    private @Nullable ScheduledFuture<?> looking;

    private static final class Leaving {
        private final Participant partition;
        private int looks;

        Leaving(Participant partition) {
            this.partition = partition;
        }
    }

    LeavingProducers(Channel channel, Outbound out, NewPlaces places) {
        this.channel = channel;
        this.out = out;
        this.places = places;
    }

    void add(long producerId, Participant partition) {
        Leaving leaving = new Leaving(partition);
        if (tell(producerId, leaving)) {
            return;
        }
        byId.put(producerId, leaving);
        if (looking == null) {
            looking = channel.eventLoop()
                    .scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void look() {
        for (Iterator<Map.Entry<Long, Leaving>> all = byId.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Long, Leaving> each = all.next();
            if (tell(each.getKey(), each.getValue())) {
                all.remove();
            }
        }
        out.flush();
        stopIfDone();
    }

    /** Whether the client has been told. */
    private boolean tell(long producerId, Leaving leaving) {
        NewPlaces.Place now = places.of(leaving.partition);
        if (!now.settled() && leaving.looks++ < MOST_LOOKS) {
            return false;
        }
        out.write(Commands.newCloseProducer(producerId, -1, now.url(), null));
        return true;
    }

    /** The client has closed the producer, or creates it again: there is nothing to be told. */
    public void forget(long producerId) {
        byId.remove(producerId);
        stopIfDone();
    }

    /** The connection is gone. */
    void close() {
        byId.clear();
        stopIfDone();
    }

    private void stopIfDone() {
        if (byId.isEmpty() && looking != null) {
            looking.cancel(false);
            looking = null;
        }
    }
}
