package io.sluice.pulsar.services;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.hub.Backlog;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.namespace.BacklogQuotas;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.Answer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps backlogs to their quotas, as Pulsar does. Round by round the partitions served here that have a quota are looked at: of one that is over
 * it the oldest messages are evicted, or the producers disconnected. A producer that comes is refused while the backlog is over a quota that says
 * so. Topics without a quota cost nothing but the look whether they have one.
 */
public final class BacklogQuotaChecks {
    private static final Logger LOG = LoggerFactory.getLogger(BacklogQuotaChecks.class);
    private static final long PATIENCE_SECONDS = 30;

    private final BacklogQuotas quotas;
    private final TopicCatalogue catalogue;
    private final TopicAccess topics;
    private final Hubs hubs;
    private final OneRound rounds = new OneRound();

    public BacklogQuotaChecks(BacklogQuotas quotas, TopicCatalogue catalogue, TopicAccess topics, Hubs hubs) {
        this.quotas = quotas;
        this.catalogue = catalogue;
        this.topics = topics;
        this.hubs = hubs;
    }

    public BacklogQuotas quotas() {
        return quotas;
    }

    // ---- a producer that comes

    /** Whether a producer of this topic is to be asked for by {@link #ofProducer}. */
    public boolean concernsProducers(Topic found) {
        Topic topic = topics.current(found);
        return blocks(quotas.of(topic, BacklogQuotaType.destination_storage))
                        && BacklogQuotas.hasSize(quotas.of(topic, BacklogQuotaType.destination_storage))
                || blocks(quotas.of(topic, BacklogQuotaType.message_age))
                        && BacklogQuotas.hasAge(quotas.of(topic, BacklogQuotaType.message_age));
    }

    /** Tells, on the partition's loop where this is called, why a producer is refused; null if it is not. */
    public void ofProducer(Topic found, PartitionLog log, Consumer<ClientLimits.@Nullable Refusal> reply) {
        Topic topic = topics.current(found);
        Backlog backlog = Backlog.of(log);
        BacklogQuotaImpl size = quotas.of(topic, BacklogQuotaType.destination_storage);
        if (blocks(size) && isOver(backlog, size)) {
            reply.accept(refusal(size));
            return;
        }
        BacklogQuotaImpl age = quotas.of(topic, BacklogQuotaType.message_age);
        if (blocks(age) && BacklogQuotas.hasAge(age)) {
            backlog.isOlderThan(age.getLimitTime(), older -> reply.accept(older ? refusal(age) : null));
        } else {
            reply.accept(null);
        }
    }

    private static boolean blocks(BacklogQuotaImpl quota) {
        return quota.getPolicy() != RetentionPolicy.consumer_backlog_eviction;
    }

    private static boolean isOver(Backlog backlog, BacklogQuotaImpl size) {
        return BacklogQuotas.hasSize(size) && backlog.bytes() >= size.getLimitSize();
    }

    private static ClientLimits.Refusal refusal(BacklogQuotaImpl quota) {
        ServerError error = quota.getPolicy() == RetentionPolicy.producer_request_hold
                ? ServerError.ProducerBlockedQuotaExceededError
                : ServerError.ProducerBlockedQuotaExceededException;
        return new ClientLimits.Refusal(error, "Cannot create producer on topic with backlog quota exceeded");
    }

    // ---- rounds

    /** One round by the clock, unless one is under way; blocks. */
    public void round() {
        rounds.unlessUnderWay(this::checkAll);
    }

    /** One round because somebody asks for it; blocks. */
    public void roundNow() {
        rounds.now(this::checkAll);
    }

    private void checkAll() throws InterruptedException {
        for (Topic topic : catalogue.withShadows()) {
            boolean limited = !topic.internal() && quotas.limits(topic);
            for (int p = 0; limited && p < topic.partitions().size(); p++) {
                PartitionLog log = topics.log(topic, p);
                if (log != null) {
                    check(topic, log);
                }
            }
        }
    }

    private void check(Topic topic, PartitionLog log) throws InterruptedException {
        try {
            log.container().<Boolean>ask(answer -> check(topic, log, answer)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("The backlog of {} is looked at by a later round", topic.name(), e);
        }
    }

    /** On the loop. */
    private void check(Topic topic, PartitionLog log, Answer<Boolean> answer) {
        Backlog backlog = Backlog.of(log);
        BacklogQuotaImpl size = quotas.of(topic, BacklogQuotaType.destination_storage);
        if (isOver(backlog, size)) {
            if (blocks(size)) {
                disconnect(topic, log, answer);
            } else {
                backlog.evictTo(size.getLimitSize(), hubs, answer);
            }
            return;
        }
        BacklogQuotaImpl age = quotas.of(topic, BacklogQuotaType.message_age);
        if (!BacklogQuotas.hasAge(age)) {
            answer.complete(true);
            return;
        }
        backlog.isOlderThan(age.getLimitTime(), older -> {
            if (!older) {
                answer.complete(true);
            } else if (blocks(age)) {
                disconnect(topic, log, answer);
            } else {
                backlog.evictOlder(age.getLimitTime(), hubs, answer);
            }
        });
    }

    private void disconnect(Topic topic, PartitionLog log, Answer<Boolean> answer) {
        PartitionHub hub = hubs.find(log);
        if (hub != null) {
            LOG.debug("{} is over its backlog quota: its producers are disconnected", topic.name());
            hub.disconnectProducers();
        }
        answer.complete(true);
    }
}
