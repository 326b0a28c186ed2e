package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.pulsar.hub.FollowDeduplication;
import io.sluice.pulsar.hub.HubView;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import io.sluice.pulsar.topic.TopicLists;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** From the names in requests to topics and their logs, with the errors the admin client expects. */
final class AdminTopics {
    private final GatewayServices services;
    private final ServingWait serving;
    private final OtherNodes nodes;

    AdminTopics(GatewayServices services, ServingWait serving, OtherNodes nodes) {
        this.services = services;
        this.serving = serving;
        this.nodes = nodes;
    }

    OtherNodes nodes() {
        return nodes;
    }

    GatewayServices services() {
        return services;
    }

    /** Name of this node as a broker. */
    String brokerId() {
        return brokerId(services.config().httpUrl());
    }

    /** How brokers are named: host and port of their HTTP. */
    static String brokerId(String httpUrl) {
        return httpUrl.replaceFirst("^https?://", "");
    }

    /** A partition's log with its full name. */
    record Part(Topic topic, String name, int partition, PartitionLog log) {}

    Topic topic(TopicRequest r) throws AdminException {
        return switch (r.found()) {
            case Found.There t -> t.topic();
            case Found.Missing m -> throw notFound(r.name());
        };
    }

    private static AdminException notFound(PulsarNames.Parsed name) {
        return new AdminException(404, "Topic " + PulsarNames.text(name) + " not found");
    }

    private static AdminException notServed(Topic topic) {
        return new AdminException(503, "Topic " + topic.name() + " is not served now");
    }

    /** The other node that serves the topic's partition; null if none does. */
    @Nullable
    OtherNode other(AdminRequest r, Topic topic, int partition) throws AdminException {
        return services.topics().servingNow(topic.name(), Math.max(0, partition)) instanceof Serving.Elsewhere e
                ? new OtherNode(nodes, httpOf(e.node(), topic), r, topic.name(), partition)
                : null;
    }

    /** The one partition the name stands for. */
    Part part(TopicRequest r) throws AdminException {
        return part(r, 404);
    }

    /** @param ifPartitioned status of the refusal where the name stands for several */
    Part part(TopicRequest r, int ifPartitioned) throws AdminException {
        return switch (r.found()) {
            case Found.Missing m -> throw notFound(r.name());
            case Found.Partitioned p ->
                throw new AdminException(
                        ifPartitioned, "Topic " + p.topic().name() + " is partitioned: name a partition");
            case Found.Partition p -> only(p.topic(), p.partition());
        };
    }

    /**
     * The partition that a request is about, which is answered by the node that serves it.
     *
     * @param partition -1 for a non-partitioned topic
     */
    Part only(Topic topic, int partition) throws AdminException {
        if (served(topic, partition) instanceof Serving.Elsewhere e) {
            throw AdminException.answeredBy(httpOf(e.node(), topic));
        }
        return part(topic, partition);
    }

    /** Where the partition is served, as soon as any node does, for a time. */
    private Serving served(Topic topic, int partition) throws AdminException {
        return serving.until(() -> services.topics().servingNow(topic.name(), Math.max(0, partition)));
    }

    /** Sends the request on, if another node answers for the transactions of the coordinator. */
    void requireCoordinator(AdminRequest r, long coordinator) throws AdminException {
        String other = otherCoordinator(r, coordinator);
        if (other != null) {
            throw AdminException.answeredBy(other);
        }
    }

    /** URL, without a path, of another node that is the coordinator; null if none is. */
    @Nullable
    String otherCoordinator(AdminRequest r, long coordinator) throws AdminException {
        TopicAccess access = services.topics();
        var name = new Parsed(TopicAccess.COORDINATORS, Math.clamp(coordinator, 0, Integer.MAX_VALUE));
        return access.find(r.principal(), Operation.DESCRIBE, name) instanceof Found.Partition p
                        && access.servingNow(p.topic().name(), p.partition()) instanceof Serving.Elsewhere e
                ? httpOf(e.node(), p.topic())
                : null;
    }

    private String httpOf(ClusterNode node, Topic topic) throws AdminException {
        String url = ServiceUrls.httpOf(services.config(), node);
        if (url.isEmpty()) {
            throw notServed(topic);
        }
        return url;
    }

    /** A partition of a topic, as far as a request is about it. */
    interface Here<T> {
        T with(Part part) throws AdminException;
    }

    /** A partition that another node serves: asks that node. */
    interface Elsewhere<T> {
        T ask(OtherNode node) throws AdminException;
    }

    /** Does the same with every partition the name stands for: here, or at the node that serves it. */
    <T> List<T> each(TopicRequest r, Here<T> here, Elsewhere<T> elsewhere) throws AdminException {
        return switch (r.found()) {
            case Found.Missing m -> throw notFound(r.name());
            case Found.There there -> each(r, there, here, elsewhere);
        };
    }

    /** As {@link #each}, of what is there by now. */
    <T> List<T> each(TopicRequest r, Found.There there, Here<T> here, Elsewhere<T> elsewhere) throws AdminException {
        return switch (there) {
            case Found.Partition p -> List.of(here.with(only(p.topic(), p.partition())));
            case Found.Partitioned p -> each(r, p.topic(), here, elsewhere);
        };
    }

    /** As {@link #each}, of the topic as it is now. */
    <T> List<T> each(TopicRequest r, Topic topic, Here<T> here, Elsewhere<T> elsewhere) throws AdminException {
        List<T> all = new ArrayList<>(topic.partitions().size());
        for (int p = 0; p < topic.partitions().size(); p++) {
            all.add(one(r, topic, topic.partitioned() ? p : -1, here, elsewhere));
        }
        return all;
    }

    /** A node that has given the partition away meanwhile has done nothing, so another one is asked. */
    private <T> T one(TopicRequest r, Topic topic, int partition, Here<T> here, Elsewhere<T> elsewhere)
            throws AdminException {
        long begun = System.nanoTime();
        while (served(topic, partition) instanceof Serving.Elsewhere e) {
            try {
                return elsewhere.ask(
                        new OtherNode(nodes, httpOf(e.node(), topic), r.request(), topic.name(), partition));
            } catch (AdminException why) {
                if (!why.isMoved() || serving.isOver(begun)) {
                    throw why;
                }
                ServingWait.pause();
            }
        }
        return here.with(part(topic, partition));
    }

    /** Makes the topic, as clients make it by using it, if there is none of that name and that is allowed. */
    Found.There createIfMissing(TopicRequest r) throws AdminException {
        return switch (r.found()) {
            case Found.There t -> t;
            case Found.Missing m when m.creatable() -> TopicAccess.whole(create(r.name()));
            case Found.Missing m -> throw new AdminException(412, "Topic does not exist and cannot be auto-created");
        };
    }

    /** As topics are created on use. */
    Topic create(PulsarNames.Parsed name) throws AdminException {
        int n = services.topics().defaultPartitions(name.topic());
        requireRoom(name.topic(), Math.max(1, n));
        return await(services.catalogue().getOrCreate(name.topic(), Math.max(1, n), n > 0, false));
    }

    /** Refuses topics beyond those that the namespace may have. */
    void requireRoom(TopicName name, int more) throws AdminException {
        String full = services.topics().whyNoMore(name, more);
        if (full != null) {
            throw new AdminException(412, full);
        }
    }

    /** Something done with a topic as it is. */
    interface Work {
        void with(Topic topic) throws AdminException;
    }

    /** Does something with the partitioned topic while it gets no more partitions. */
    void whileUnchanged(TopicName name, Work work) throws AdminException {
        Optional<AdminException> refused = await(services.catalogue().growth().whileUnchanged(name, topic -> {
            try {
                work.with(topic);
                return Optional.empty();
            } catch (AdminException e) {
                return Optional.of(e);
            }
        }));
        if (refused.isPresent()) {
            throw refused.get();
        }
    }

    /** Has a step carried out in a segment of a scalable topic that was let in, whichever node serves it; empty if the segment is gone. */
    <T> Optional<T> inSegment(Parsed segment, PartitionStep<T> step) throws AdminException {
        Topic topic = services.topics().segment(segment.topic());
        if (topic == null || segment.partition() >= topic.partitions().size()) {
            return Optional.empty();
        }
        served(topic, segment.partition()); // by some node, else the step fails
        return Optional.of(await(services.topics().ask(topic, segment.partition(), step)));
    }

    Part part(Topic topic, int partition) throws AdminException {
        PartitionLog log = services.topics().log(topic, partition);
        if (log == null) {
            throw notServed(topic);
        }
        return new Part(topic, TopicLists.nameOf(topic, partition), partition, log);
    }

    /** Makes the connected producers of the topic follow what holds for duplicates now, whichever nodes they are connected to. */
    void deduplicate(Topic topic) throws AdminException {
        var step = new FollowDeduplication(services.deduplication().ruleOf(topic), services.hubs());
        for (int p = 0; p < topic.partitions().size(); p++) {
            if (!(services.topics().servingNow(topic.name(), p) instanceof Serving.Unserved)) {
                await(services.topics().ask(topic, p, step).exceptionally(AdminTopics::unlessNotServed));
            }
        }
    }

    /** Producers of a partition that is not served come again, and follow what holds then. */
    private static boolean unlessNotServed(Throwable failure) {
        if (StoreException.failureIn(failure) instanceof StoreFailure.NotOwner) {
            return true;
        }
        throw new CompletionException(failure);
    }

    /** On the part's loop; null if no client is connected to it. */
    @Nullable
    PartitionHub hub(Part part) {
        return services.hubs().find(part.log());
    }

    /** On the part's loop. */
    HubView view(Part part) {
        PartitionHub hub = hub(part);
        return hub == null ? HubView.EMPTY : hub.view();
    }
}
