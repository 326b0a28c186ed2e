package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.WRITE;
import static io.sluice.pulsar.admin.AdminAnswers.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.TopicSchemas.Versioned;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.protocol.schema.IsCompatibilityResponse;
import org.jspecify.annotations.Nullable;

/** Schemas of topics; see {@link TopicSchemas} for what is compatible with what. When one was registered is not kept. */
final class SchemaRoutes {
    private static final String PLACE = "/admin/v2/schemas/:tenant/:namespace/:schemaTopic/";
    private static final String SCHEMA = PLACE + "schema";

    private final AdminTopics topics;

    SchemaRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        var look = routes.wholeTopic(DESCRIBE);
        look.get(SCHEMA, r -> one(r, -1));
        look.get(SCHEMA + "/:version", r -> one(r, Long.parseLong(r.get("version"))));
        look.get(SCHEMA + "s", this::all);
        look.get(PLACE + "metadata", this::metadata);
        look.post(PLACE + "version", this::version);
        look.post(PLACE + "compatibility", this::compatibility);
        routes.wholeTopic(WRITE).post(SCHEMA, this::register);
        routes.wholeTopic(ALTER).delete(SCHEMA, this::delete);
    }

    private Object one(TopicRequest r, long version) throws AdminException, IOException {
        return schemas(r).stream()
                .filter(s -> version < 0 || s.version() == version)
                .reduce((earlier, later) -> later)
                .map(SchemaRoutes::json)
                .orElseThrow(() -> new AdminException(404, "Schema not found"));
    }

    private Object all(TopicRequest r) throws AdminException, IOException {
        JsonArray each = new JsonArray();
        schemas(r).forEach(s -> each.add(json(s)));
        return new JsonObject().put("getSchemaResponses", each);
    }

    /** Versions that are there. Schemas are records of the metadata store, which has no ledgers. */
    private Object metadata(TopicRequest r) throws IOException {
        JsonArray index = new JsonArray();
        schemas(r)
                .forEach(s -> index.add(
                        new JsonObject().put("ledgerId", -1).put("entryId", -1).put("version", s.version())));
        return index.isEmpty()
                ? Routes.NOTHING
                : new JsonObject()
                        .put("info", index.getJsonObject(index.size() - 1))
                        .put("index", index);
    }

    private List<Versioned> schemas(TopicRequest r) throws IOException {
        return r.found() instanceof Found.There t
                ? topics.services().schemas().all(t.topic().sourceId())
                : List.of();
    }

    private static JsonObject json(Versioned versioned) {
        Schema schema = versioned.schema();
        return new JsonObject()
                .put("version", versioned.version())
                .put("type", SchemaTypes.name(schema.getType()))
                .put("timestamp", 0)
                .put(
                        "data",
                        schema.getType() == Schema.Type.KeyValue
                                ? KeyValueText.shown(schema.getSchemaData())
                                : new String(schema.getSchemaData(), UTF_8))
                .put("properties", new JsonObject(Map.copyOf(TopicSchemas.properties(schema))));
    }

    private static Schema given(TopicRequest r) throws AdminException {
        JsonObject body = r.json();
        Schema.Type type = SchemaTypes.parse(body.getString("type", "").toUpperCase(Locale.ROOT));
        String text = body.getString("schema", "");
        Schema schema = new Schema()
                .setName(r.get("topic"))
                .setType(type)
                .setSchemaData(type == Schema.Type.KeyValue ? KeyValueText.stored(text) : text.getBytes(UTF_8));
        JsonObject properties = body.getJsonObject("properties", new JsonObject());
        properties.forEach(e -> schema.addProperty().setKey(e.getKey()).setValue(String.valueOf(e.getValue())));
        return schema;
    }

    private SchemaRules rules(TopicRequest r) {
        return r.found() instanceof Found.There t
                ? topics.services().schemaPolicies().of(t.topic())
                : topics.services().schemaPolicies().of(r.name().topic());
    }

    private static void requireNoShadow(Topic topic) throws AdminException {
        if (topic.isShadow()) {
            throw new AdminException(412, "Schemas of a shadow topic are those of its source: change them there");
        }
    }

    private @Nullable Object register(TopicRequest r) throws AdminException {
        Schema schema = given(r);
        String malformed = TopicSchemas.malformed(schema);
        if (malformed != null) {
            throw new AdminException(422, malformed);
        }
        SchemaRules rules = rules(r).ofAdmin();
        Topic topic = topics.createIfMissing(r).topic();
        requireNoShadow(topic);
        CompletableFuture<TopicSchemas.Answer> answer = new CompletableFuture<>();
        topics.services().schemas().register(topic.id(), schema, rules, answer::complete);
        return switch (await(answer)) {
            case TopicSchemas.Answer.Found f ->
                new JsonObject()
                        .put(
                                "version",
                                new JsonObject().put("version", f.schema().version()));
            case TopicSchemas.Answer.None n -> throw new AdminException(404, "Schema not found");
            case TopicSchemas.Answer.Refused why -> throw new AdminException(409, why.message());
            case TopicSchemas.Answer.Unavailable why -> throw new AdminException(503, why.message());
        };
    }

    /** Whether the schema may follow those of the topic. */
    private Object compatibility(TopicRequest r) throws AdminException, IOException {
        Schema schema = given(r);
        SchemaRules rules = rules(r);
        String why = r.found() instanceof Found.There t
                ? topics.services().schemas().whyNotFollow(t.topic().sourceId(), schema, rules)
                : TopicSchemas.malformed(schema);
        return AdminAnswer.accepted(IsCompatibilityResponse.builder()
                .isCompatibility(why == null)
                .schemaCompatibilityStrategy(rules.strategy().name())
                .build());
    }

    /** Version of a schema of the topic, -1 if it is none of them. */
    private Object version(TopicRequest r) throws AdminException, IOException {
        Schema schema = given(r);
        long version = r.found() instanceof Found.There t
                ? topics.services().schemas().versionOf(t.topic().sourceId(), schema)
                : -1;
        return new JsonObject().put("version", version);
    }

    /** Answers the version that stands for the deletion; with {@code force} there is none. */
    private Object delete(TopicRequest r) throws AdminException, IOException {
        TopicSchemas schemas = topics.services().schemas();
        long version = 0;
        if (r.found() instanceof Found.There t) {
            requireNoShadow(t.topic());
            if (r.flag("force")) {
                schemas.wipe(t.topic().sourceId());
                version = -1;
            } else {
                version = schemas.delete(t.topic().sourceId());
            }
        }
        return new JsonObject().put("version", version);
    }
}
