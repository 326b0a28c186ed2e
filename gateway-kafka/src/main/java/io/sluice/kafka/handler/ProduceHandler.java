package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.ProduceTransactions.Use;
import io.sluice.kafka.api.RawApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.BatchRules;
import io.sluice.kafka.format.DecompressedPieces;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.format.TopicSettings;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Produce, versions 3-13.
 *
 * <p>Differences from Kafka:
 * <ul>
 *   <li>acks 0, 1 and all: all wait until the records are fsynced; 0 only means that no answer is sent.
 *   <li>{@code min.insync.replicas} is compared with the log's ack quorum.
 *   <li>A batch that some consumer could not read is refused, whatever is wrong with it (docs/adr/0027).
 *   <li>A batch that was appended before is answered as a success, with its first offset and, where the topic's timestamps are the log's, the
 *       time of its first append; with none if it cannot be read any more.
 *   <li>A partition that a request names twice gets both batches, and has two answers; Kafka drops the first batch.
 *   <li>To a topic that has migrated to another cluster nothing is appended: POLICY_VIOLATION, which producers do not try again.
 *   <li>While the store pushes back, requests wait; past its patience they get REQUEST_TIMED_OUT, which producers retry.
 * </ul>
 */
public final class ProduceHandler implements RawApiHandler {
    private static final short ALL = -1;

    private final KafkaServices services;
    private final BatchRules defaults;
    /** Requests whose batches are checked elsewhere, at the same time. */
    private final Semaphore offLoop;

    /** @param requestMemory bytes of all requests; half as much is for decompressing batches elsewhere */
    public ProduceHandler(KafkaServices services, TopicPolicy policy, long requestMemory) {
        this.services = services;
        this.defaults = BatchRules.defaults(policy.maxMessageBytes(), policy.walkCompressed());
        this.offLoop = new Semaphore(turns(requestMemory, Runtime.getRuntime().availableProcessors()), true);
    }

    /** Each keeps a processor busy and takes memory. */
    static int turns(long requestMemory, int processors) {
        return (int) Math.clamp(requestMemory / 2 / DecompressedPieces.MOST_MEMORY, 1, processors);
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.PRODUCE;
    }

    @Override
    public boolean overlapsItsKind() {
        return true;
    }

    @Override
    public void handle(RequestContext context, ByteBuf body) {
        ProduceRequest request = ProduceRequest.read(body, context.version());
        ProduceChecks checks = new ProduceChecks(context, request, body, services, offLoop, System::nanoTime);
        String id = request.transactionalId();
        boolean allowed = id == null
                || services.access().allows(context.principal(), Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id);
        for (ProduceRequest.Topic asked : request.topics()) {
            Target target = allowed
                    ? target(context.principal(), asked, request)
                    : Target.none(defaults, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, null);
            for (ProduceRequest.Partition partition : asked.partitions()) {
                ProducePart part = new ProducePart(asked.name(), asked.id(), partition.index());
                joinTransaction(part, partition.index(), request, context.version(), target.topic());
                add(part, partition, target, checks);
            }
        }
        checks.start(services.blocking());
    }

    /**
     * @param compression what the topic's batches are stored in; null if in what the producer chose
     * @param error why nothing can be appended to the topic; NONE if something can
     */
    record Target(
            @Nullable Topic topic,
            BatchRules rules,
            @Nullable Compression compression,
            Errors error,
            @Nullable String message) {
        static Target none(BatchRules rules, Errors error, @Nullable String message) {
            return new Target(null, rules, null, error, message);
        }
    }

    private Target target(Principal who, ProduceRequest.Topic asked, ProduceRequest request) {
        if (request.acks() < -1 || request.acks() > 1) {
            return Target.none(defaults, Errors.INVALID_REQUIRED_ACKS, null);
        }
        return switch (services.access().find(who, Operation.WRITE, asked.name(), asked.id())) {
            case TopicLookup.Found(Topic topic) -> target(topic, request);
            case TopicLookup.Refused refused -> Target.none(defaults, refused.error(), null);
        };
    }

    private Target target(Topic topic, ProduceRequest request) {
        if (topic.internal()) {
            return Target.none(defaults, Errors.INVALID_TOPIC_EXCEPTION, "the topic is internal");
        }
        if (request.acks() == ALL && TopicSettings.minInSyncReplicas(topic.settings()) > services.copies()) {
            return Target.none(
                    defaults,
                    Errors.NOT_ENOUGH_REPLICAS,
                    "the topic's min.insync.replicas is more than the " + services.copies()
                            + " copies that this server's log keeps");
        }
        return new Target(
                topic,
                TopicSettings.batchRules(topic.settings(), defaults),
                TopicSettings.compression(topic.settings()),
                Errors.NONE,
                null);
    }

    private void joinTransaction(
            ProducePart part, int index, ProduceRequest request, short version, @Nullable Topic topic) {
        String id = request.transactionalId();
        if (id != null && topic != null) {
            String name = TopicNames.toKafka(topic.name());
            part.in(new ProduceTransaction(services.transactions(), id, Use.ofProduce(version), name, index));
        }
    }

    private void add(ProducePart part, ProduceRequest.Partition partition, Target target, ProduceChecks checks) {
        Topic topic = target.topic();
        PartitionLog log = topic == null ? null : services.log(topic, partition.index());
        if (log != null && topic != null) {
            part.guardBy(services.writes(), topic.name());
            checks.add(part, log, target, partition);
        } else if (topic == null) {
            checks.addRefused(part, target.error(), target.message());
        } else {
            boolean exists = KafkaServices.hasPartition(topic, partition.index());
            checks.addRefused(part, exists ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.UNKNOWN_TOPIC_OR_PARTITION, null);
        }
    }
}
