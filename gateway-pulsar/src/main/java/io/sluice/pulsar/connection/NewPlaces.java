package io.sluice.pulsar.connection;

import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import io.sluice.transactions.Participant;
import org.jspecify.annotations.Nullable;

/** Finds the node to which a partition has gone that was served here. */
final class NewPlaces {
    private static final Place UNTOLD = new Place(true, null);
    private static final Place UNKNOWN = new Place(false, null);

    private final GatewayServices services;

    NewPlaces(GatewayServices services) {
        this.services = services;
    }

    /**
     * @param settled it need not be asked again
     * @param url for the client; null if it is to look the topic up
     */
    record Place(boolean settled, @Nullable String url) {}

    /** Place of a partition. Clients that came by a listener of another name look the topic up: there they say which. */
    Place of(Participant partition) {
        if (!services.config().listeners().isEmpty()) {
            return UNTOLD;
        }
        try {
            return switch (services.topics().servingNow(partition.topicName(), partition.partition())) {
                case Serving.Here h -> UNTOLD;
                case Serving.Elsewhere e -> {
                    String url = ServiceUrls.binaryOf(services.config(), e.node());
                    yield url == null ? UNKNOWN : new Place(true, url);
                }
                case Serving.Unserved n -> UNKNOWN;
            };
        } catch (TopicException e) {
            return UNTOLD;
        }
    }
}
