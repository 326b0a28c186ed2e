package io.sluice.pulsar.services;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.hub.ExpireMessages;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.namespace.MessageTtl;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Goes round the partitions served here whose messages have a time to live, one after the other, and expires what is older. */
public final class MessageExpiry {
    private static final Logger LOG = LoggerFactory.getLogger(MessageExpiry.class);

    /** Between rounds. */
    public static final long PAUSE_SECONDS = 60;

    private static final long PATIENCE_SECONDS = 30;

    private final TopicCatalogue catalogue;
    private final TopicAccess topics;
    private final Hubs hubs;
    private final MessageTtl ttl;
    private final OneRound rounds = new OneRound();

    public MessageExpiry(TopicCatalogue catalogue, TopicAccess topics, Hubs hubs, MessageTtl ttl) {
        this.catalogue = catalogue;
        this.topics = topics;
        this.hubs = hubs;
        this.ttl = ttl;
    }

    /** One round, unless one is under way; blocks. */
    public void round() {
        rounds.unlessUnderWay(this::expireAll);
    }

    private void expireAll() throws InterruptedException {
        for (Topic topic : catalogue.withShadows()) {
            int seconds = topic.internal() ? 0 : ttl.of(topic);
            for (int p = 0; seconds > 0 && p < topic.partitions().size(); p++) {
                PartitionLog log = topics.log(topic, p);
                if (log != null) {
                    expire(topic, log, seconds);
                }
            }
        }
    }

    private void expire(Topic topic, PartitionLog log, int seconds) throws InterruptedException {
        try {
            ExpireMessages.in(hubs, log, null, TimeUnit.SECONDS.toMillis(seconds))
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Messages of {} are expired by a later round", topic.name(), e);
        }
    }
}
