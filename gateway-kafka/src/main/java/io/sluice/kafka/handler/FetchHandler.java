package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.topic.Topic;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.NamedLeaders;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.fetch.FetchLogs;
import io.sluice.kafka.fetch.FetchOperation;
import io.sluice.kafka.fetch.FetchPartition;
import io.sluice.kafka.fetch.FetchPlan;
import io.sluice.kafka.fetch.FetchSessions;
import io.sluice.kafka.fetch.FetchWaits;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/**
 * Fetch, versions 4-18, from consumers only.
 *
 * <p>Differences from Kafka:
 * <ul>
 *   <li>Every partition read gives whole batches, one at least, so the size limits may be passed by one batch each.
 *       Which partitions give data when not all can is as in Kafka: the order of the request, or of the session.
 *   <li>What a Pulsar client wrote is converted, each entry to a batch (docs/two-protocols.md).
 *   <li>No preferred read replica. Requests that say they come from a replica are treated as a consumer's.
 * </ul>
 */
public final class FetchHandler implements ApiHandler {
    /** A parked fetch holds its place in line for a minute at most, whatever the client asks. */
    private static final int MAX_WAIT_MILLIS = 60_000;

    private final KafkaServices services;
    private final TopicPolicy policy;
    private final FetchSessions sessions;
    private final FetchWaits waits;
    private final EntryConversions conversions;

    public FetchHandler(
            KafkaServices services,
            TopicPolicy policy,
            FetchSessions sessions,
            FetchWaits waits,
            EntryConversions conversions) {
        this.services = services;
        this.policy = policy;
        this.sessions = sessions;
        this.waits = waits;
        this.conversions = conversions;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.FETCH;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        FetchRequestData asked = (FetchRequestData) request.data();
        int maxBytes = Math.max(1, Math.min(asked.maxBytes(), policy.fetchMaxBytes()));
        maxBytes = services.rates()
                .atOnce(QuotaKey.CONSUMER_BYTE_RATE, context.principal().name(), context.clientId(), maxBytes);
        Isolation isolation = Isolations.of(asked.isolationLevel());
        FetchPlan plan = sessions.begin(asked, context.version(), isolation, context.connection()::isOpen);
        ClientConnection client = context.connection();
        FetchOperation operation = new FetchOperation(
                context, sessions, plan, () -> new Lookup(client), conversions, isolation, asked.minBytes(), maxBytes);
        operation.start(Math.min(asked.maxWaitMs(), MAX_WAIT_MILLIS), waits);
    }

    /** Partitions of a topic come one after the other: the topic is looked up once. */
    private final class Lookup implements FetchLogs {
        private final ClientConnection client;
        private final Principal who;
        private FetchPartition.@Nullable Key last;
        private @Nullable TopicLookup lastFound;

        Lookup(ClientConnection client) {
            this.client = client;
            this.who = client.principal();
        }

        @Override
        public @Nullable PartitionLog find(FetchPartition partition) {
            return switch (topicOf(partition.key())) {
                case TopicLookup.Found(Topic topic) -> find(topic, partition);
                case TopicLookup.Refused refused -> {
                    partition.fail(refused.error());
                    yield null;
                }
            };
        }

        @Override
        public boolean mayRead(FetchPartition partition) {
            return !(topicOf(partition.key()) instanceof TopicLookup.Denied);
        }

        @Override
        public long rights() {
            return services.access().version();
        }

        @Override
        public NamedLeaders leaders() {
            return new NamedLeaders(services, client, Operation.READ);
        }

        private TopicLookup topicOf(FetchPartition.Key key) {
            TopicLookup found = lastFound;
            if (found == null
                    || last == null
                    || !last.topicId().equals(key.topicId())
                    || !last.topic().equals(key.topic())) {
                found = services.access().find(who, Operation.READ, key.topic(), key.topicId());
                lastFound = found;
                last = key;
            }
            return found;
        }

        private @Nullable PartitionLog find(Topic topic, FetchPartition partition) {
            int index = partition.key().partition();
            PartitionLog log = services.log(topic, index);
            if (log == null) {
                boolean exists = KafkaServices.hasPartition(topic, index);
                partition.fail(exists ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
            return log;
        }
    }
}
