package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.WRITE;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.admin.PostedResults.Result;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.sluice.pulsar.schema.TypedPayload;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.api.proto.Schema;

/**
 * {@code POST /topics/...}: publishes messages whose values are given as text. Those of a partitioned topic go to the partitions that this node serves
 * in turn; where it serves none, the client is sent to a node that does. Each message is stored by itself and has a result of its own. Differences
 * on purpose: a value that is none of its schema is refused, and with it the request, where Pulsar stores an empty message.
 */
final class PublishRoutes {
    private static final String KEPT = "/topics/persistent/:tenant/:namespace/:topic";
    private static final String NOT_KEPT = "/topics/non-persistent/:tenant/:namespace/:topic";
    private static final String PARTITION = "/partitions/:partition";

    private final AdminTopics topics;
    private final GatewayServices services;
    private final NonPersistentPlaces live;
    private final PostedSends sends;

    PublishRoutes(AdminTopics topics, NonPersistentPlaces live) {
        this.topics = topics;
        this.services = topics.services();
        this.live = live;
        this.sends = new PostedSends(services);
    }

    void add(Routes routes) {
        routes.topic(WRITE).post(KEPT, this::toTopic);
        routes.topic(WRITE).post(KEPT + PARTITION, this::toPartition);
        routes.nonPersistent(WRITE).post(NOT_KEPT, this::toLiveTopic);
        routes.nonPersistent(WRITE).post(NOT_KEPT + PARTITION, this::toLivePartition);
    }

    // ---- topics that are kept

    private Object toTopic(TopicRequest r) throws AdminException, IOException {
        PostedMessages messages = new PostedMessages(r.body());
        return switch (r.found()) {
            case Found.Missing m -> throw notFound(PulsarNames.text(r.name()));
            case Found.Partition p -> publish(r, messages, p.topic(), List.of(p.partition()));
            case Found.Partitioned p -> publish(r, messages, p.topic(), served(p.topic()));
        };
    }

    /** Partitions that this node serves; else the first, which another one does. */
    private List<Integer> served(Topic topic) {
        List<Integer> here = new ArrayList<>();
        for (int p = 0; p < topic.partitions().size(); p++) {
            if (services.topics().servingNow(topic.name(), p) instanceof Serving.Here) {
                here.add(p);
            }
        }
        return here.isEmpty() ? List.of(0) : here;
    }

    private Object toPartition(TopicRequest r) throws AdminException, IOException {
        if (r.name().partition() >= 0) {
            throw new AdminException(400, "Topic name can't contain '-partition-' suffix.");
        }
        int partition = Integer.parseInt(r.get("partition"));
        PostedMessages messages = new PostedMessages(r.body());
        return switch (r.found()) {
            case Found.Missing m -> throw notFound(PulsarNames.text(r.name()));
            case Found.Partitioned p
            when partition >= 0 && partition < p.topic().partitions().size() ->
                publish(r, messages, p.topic(), List.of(partition));
            case Found.There there ->
                publishTo(
                        r,
                        messages,
                        there.topic(),
                        index -> Result.refused(
                                partition, "Topic " + there.topic().name() + " has no partition " + partition));
        };
    }

    private static AdminException notFound(String topic) {
        return new AdminException(404, "Topic " + topic + " not found");
    }

    private Object publish(TopicRequest r, PostedMessages messages, Topic topic, List<Integer> partitions)
            throws AdminException, IOException {
        if (topic.internal()) {
            throw new AdminException(412, "Topic " + topic.name() + " is the server's own");
        }
        List<AdminTopics.Part> parts = new ArrayList<>();
        for (int partition : partitions) {
            AdminTopics.Part part = topics.only(topic, partition);
            sends.admit(r.request().principal(), part);
            parts.add(part);
        }
        Versioned schema =
                schema(messages, topic.id(), services.schemaPolicies().of(topic), r.get("topic"));
        List<ByteBuf> sent = sent(messages, schema);
        List<CompletableFuture<Result>> results = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
            results.add(sends.send(r.request().principal(), parts.get(i % parts.size()), sent.get(i)));
        }
        List<Result> done = new ArrayList<>();
        for (CompletableFuture<Result> each : results) {
            done.add(await(each));
        }
        return PostedResults.shown(done, schema.version());
    }

    /** Result of a message by its number. */
    private interface Outcome {
        Result of(int index) throws AdminException;
    }

    private Object publishTo(TopicRequest r, PostedMessages messages, Topic topic, Outcome outcome)
            throws AdminException, IOException {
        Versioned schema =
                schema(messages, topic.id(), services.schemaPolicies().of(topic), r.get("topic"));
        List<Result> done = new ArrayList<>();
        for (int i = 0; i < messages.count(); i++) {
            done.add(outcome.of(i));
        }
        return PostedResults.shown(done, schema.version());
    }

    // ---- topics that are not kept

    private Object toLiveTopic(NonPersistentRequest r) throws AdminException, IOException {
        int partitions = r.name().partition() < 0
                ? services.nonPersistent().partitions().read(r.name().topic())
                : 0;
        List<NonPersistentTopic> here = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            Parsed name = new Parsed(r.name().topic(), p);
            if (live.other(name) == null) {
                here.add(opened(r, name));
            }
        }
        if (partitions > 0 && here.isEmpty()) {
            live.requireHere(new Parsed(r.name().topic(), 0));
        }
        return publishLive(r, here.isEmpty() ? List.of(opened(r, r.name())) : here);
    }

    private Object toLivePartition(NonPersistentRequest r) throws AdminException, IOException {
        if (r.name().partition() >= 0) {
            throw new AdminException(400, "Topic name can't contain '-partition-' suffix.");
        }
        int partition = Integer.parseInt(r.get("partition"));
        if (partition < 0
                || partition
                        >= services.nonPersistent().partitions().read(r.name().topic())) {
            throw notFound(r.text() + "-partition-" + partition);
        }
        return publishLive(r, List.of(opened(r, new Parsed(r.name().topic(), partition))));
    }

    /** Topic that is here; a partition that nobody has used yet is made. */
    private NonPersistentTopic opened(NonPersistentRequest r, Parsed name) throws AdminException {
        live.requireHere(name);
        var all = services.nonPersistent();
        NonPersistentTopic topic = name.partition() >= 0 ? all.open(name) : all.find(name);
        if (topic == null) {
            throw NonPersistentPlaces.notFound(r);
        }
        return topic;
    }

    private Object publishLive(NonPersistentRequest r, List<NonPersistentTopic> to) throws AdminException, IOException {
        PostedMessages messages = new PostedMessages(r.request().body());
        for (NonPersistentTopic each : to) {
            sends.admit(r.request().principal(), each);
        }
        SchemaRules rules = services.schemaPolicies()
                .of(
                        r.name().topic(),
                        services.nonPersistent().settings().of(r.name().topic()));
        UUID id = TopicSchemas.ofNonPersistent(r.name().topic());
        Versioned schema = schema(messages, id, rules, r.get("topic"));
        List<Result> done = new ArrayList<>();
        List<ByteBuf> sent = sent(messages, schema);
        for (int i = 0; i < sent.size(); i++) {
            done.add(sends.send(r.request().principal(), to.get(i % to.size()), sent.get(i)));
        }
        return PostedResults.shown(done, schema.version());
    }

    // ---- messages

    private Versioned schema(PostedMessages messages, UUID topic, SchemaRules rules, String name)
            throws AdminException, IOException {
        long version = messages.schemaVersion();
        Versioned schema = version < 0
                ? registered(messages.schema(name), topic, rules)
                : services.schemas().all(topic).stream()
                        .filter(each -> each.version() == version)
                        .findFirst()
                        .orElseThrow(
                                () -> new AdminException(404, "the topic has no schema of the version " + version));
        requireText(schema.schema());
        return schema;
    }

    private static void requireText(Schema schema) throws AdminException {
        String why = TypedPayload.whyNot(schema);
        if (why != null) {
            throw new AdminException(422, why);
        }
    }

    private Versioned registered(Schema schema, UUID topic, SchemaRules rules) throws AdminException {
        requireText(schema);
        String malformed = TopicSchemas.malformed(schema);
        if (malformed != null) {
            throw new AdminException(422, malformed);
        }
        CompletableFuture<TopicSchemas.Answer> answer = new CompletableFuture<>();
        services.schemas().register(topic, schema, rules, answer::complete);
        return switch (await(answer)) {
            case TopicSchemas.Answer.Found f -> f.schema();
            case TopicSchemas.Answer.None n -> throw new AdminException(404, "Schema not found");
            case TopicSchemas.Answer.Refused why -> throw new AdminException(409, why.message());
            case TopicSchemas.Answer.Unavailable why -> throw new AdminException(503, why.message());
        };
    }

    /** All of them, before one is published. */
    private static List<ByteBuf> sent(PostedMessages messages, Versioned schema) throws AdminException {
        long now = System.currentTimeMillis();
        List<ByteBuf> sent = new ArrayList<>();
        for (int i = 0; i < messages.count(); i++) {
            sent.add(messages.sent(i, schema, now));
        }
        return sent;
    }
}
