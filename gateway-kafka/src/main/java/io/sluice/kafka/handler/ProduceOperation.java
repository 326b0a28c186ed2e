package io.sluice.kafka.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiMessage;

/** A produce request under way: one hop to each container it touches, one answer when the last partition is durable. */
final class ProduceOperation implements RequestContext.DeferredResponse {
    private final RequestContext context;
    private final short acks;
    private final List<ProducePart> parts;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicBoolean answered = new AtomicBoolean();

    ProduceOperation(RequestContext context, short acks, List<ProducePart> parts) {
        this.context = context;
        this.acks = acks;
        this.parts = parts;
    }

    void start(int timeoutMs) {
        List<ContainerAppends> appends = byContainer();
        int waiting = 0;
        for (ContainerAppends each : appends) {
            waiting += each.parts.size();
        }
        if (waiting == 0) {
            answer();
            return;
        }
        open.set(waiting);
        context.deadline(Math.max(0, timeoutMs), this::answer);
        for (ContainerAppends each : appends) {
            each.container.executeAppend(each);
        }
    }

    private List<ContainerAppends> byContainer() {
        List<ContainerAppends> groups = new ArrayList<>(4);
        for (ProducePart part : parts) {
            PartitionLog log = part.log();
            if (log != null) {
                appendsTo(log.container(), groups).parts.add(part);
            }
        }
        return groups;
    }

    private ContainerAppends appendsTo(SegmentContainer container, List<ContainerAppends> groups) {
        for (ContainerAppends group : groups) {
            if (group.container == container) {
                return group;
            }
        }
        ContainerAppends made = new ContainerAppends(container);
        groups.add(made);
        return made;
    }

    private final class ContainerAppends implements LoopTask {
        private final SegmentContainer container;
        private final List<ProducePart> parts = new ArrayList<>();

        ContainerAppends(SegmentContainer container) {
            this.container = container;
        }

        @Override
        public void run() {
            for (ProducePart part : parts) {
                part.run(ProduceOperation.this);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            for (ProducePart part : parts) {
                part.abandon(ProduceOperation.this, why);
            }
        }
    }

    void partDone() {
        if (open.decrementAndGet() == 0) {
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
        ProduceResponseData response = new ProduceResponseData();
        for (ProducePart part : parts) {
            TopicProduceResponse topic = response.responses().find(part.topic(), part.topicId());
            if (topic == null) {
                topic = new TopicProduceResponse().setName(part.topic()).setTopicId(part.topicId());
                response.responses().add(topic);
            }
            topic.partitionResponses().add(part.response());
        }
        return response;
    }

    @Override
    public void release() {}
}
