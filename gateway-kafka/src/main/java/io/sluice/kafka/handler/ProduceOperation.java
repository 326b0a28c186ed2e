package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.NamedLeaders;
import io.sluice.kafka.api.PartitionLeader;
import io.sluice.kafka.api.RequestContext;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** A produce request under way: one append for each partition, one answer when the last partition is durable. */
final class ProduceOperation implements RequestContext.DeferredResponse, ProducePart.Owner {
    /** First version in which the leader is named beside NOT_LEADER_OR_FOLLOWER (KIP-951). */
    private static final short FIRST_WITH_LEADERS = 10;

    private final RequestContext context;
    private final KafkaServices services;
    private final short acks;
    private final List<ProducePart> parts;
    private final @Nullable ProduceEvent event;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicBoolean answered = new AtomicBoolean();

    /** @param event told of the request's stages; null if nothing records them */
    ProduceOperation(
            RequestContext context,
            KafkaServices services,
            short acks,
            List<ProducePart> parts,
            @Nullable ProduceEvent event) {
        this.context = context;
        this.services = services;
        this.event = event;
        this.acks = acks;
        this.parts = parts;
    }

    /** Each part is an append of its own: the store has room for the largest, and not for all that a request may hold. */
    void start(int timeoutMs) {
        int waiting = 0;
        for (ProducePart part : parts) {
            if (part.log() != null) {
                waiting++;
            }
        }
        if (waiting == 0) {
            answer();
            return;
        }
        open.set(waiting);
        context.deadline(Math.max(0, timeoutMs), this::expire);
        ProduceEvent first = event;
        for (ProducePart part : parts) {
            if (part.log() != null) {
                part.submit(this, first);
                first = null;
            }
        }
    }

    private void expire() {
        answer();
        parts.forEach(ProducePart::release);
    }

    @Override
    public void partDone() {
        if (open.decrementAndGet() == 0) {
            if (event != null) {
                event.allDurable();
            }
            answer();
        }
    }

    /** When all is done, or when the client's patience is at its end; whichever is first. */
    private void answer() {
        if (!answered.compareAndSet(false, true)) {
            return;
        }
        if (acks != 0) {
            context.complete(this);
        } else if (parts.stream().anyMatch(ProducePart::isRefused)) {
            context.disconnect(); // the only way to tell a client that wants no answers
        } else {
            context.completeSilently();
        }
    }

    @Override
    public ApiMessage make() {
        if (event != null) {
            event.answering();
        }
        ProduceResponseData response = new ProduceResponseData();
        for (ProducePart part : parts) {
            TopicProduceResponse topic = response.responses().find(part.topic(), part.topicId());
            if (topic == null) {
                topic = new TopicProduceResponse().setName(part.topic()).setTopicId(part.topicId());
                response.responses().add(topic);
            }
            topic.partitionResponses().add(part.response());
        }
        if (context.version() >= FIRST_WITH_LEADERS) {
            nameLeaders(response);
        }
        return response;
    }

    private void nameLeaders(ProduceResponseData response) {
        NamedLeaders leaders = null;
        for (TopicProduceResponse topic : response.responses()) {
            for (PartitionProduceResponse part : topic.partitionResponses()) {
                if (part.errorCode() != Errors.NOT_LEADER_OR_FOLLOWER.code()) {
                    continue;
                }
                leaders = leaders == null ? new NamedLeaders(services, context.connection(), Operation.WRITE) : leaders;
                PartitionLeader leader = leaders.find(topic.name(), topic.topicId(), part.index());
                if (leader != null) {
                    part.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(leader.epoch());
                }
            }
        }
        if (leaders == null) {
            return;
        }
        for (ClusterNode node : leaders.nodes()) {
            Endpoint endpoint = KafkaServices.endpoint(node, context.connection());
            response.nodeEndpoints()
                    .add(new NodeEndpoint()
                            .setNodeId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
    }

    @Override
    public void release() {
        if (event != null) {
            event.answered();
        }
    }
}
