package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.WRITE;
import static io.sluice.pulsar.admin.AdminAnswers.await;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.Topic;
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
import org.jspecify.annotations.Nullable;

/** Schemas of topics; see {@link TopicSchemas} for what is compatible with what. When one was registered is not kept. */
final class SchemaRoutes {
    private static final String SCHEMA = "/admin/v2/schemas/:tenant/:namespace/:schemaTopic/schema";

    private final AdminTopics topics;

    SchemaRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        var look = routes.wholeTopic(DESCRIBE);
        look.get(SCHEMA, r -> one(r, -1));
        look.get(SCHEMA + "/:version", r -> one(r, Long.parseLong(r.get("version"))));
        look.get(SCHEMA + "s", this::all);
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

    private List<Versioned> schemas(TopicRequest r) throws IOException {
        return r.found() instanceof Found.There t
                ? topics.services().schemas().all(t.topic().id())
                : List.of();
    }

    private static JsonObject json(Versioned versioned) {
        Schema schema = versioned.schema();
        return new JsonObject()
                .put("version", versioned.version())
                .put("type", SchemaTypes.name(schema.getType()))
                .put("timestamp", 0)
                .put("data", new String(schema.getSchemaData(), UTF_8))
                .put("properties", new JsonObject(Map.copyOf(TopicSchemas.properties(schema))));
    }

    private @Nullable Object register(TopicRequest r) throws AdminException {
        JsonObject body = r.json();
        Schema schema = new Schema()
                .setName(r.get("topic"))
                .setType(SchemaTypes.parse(body.getString("type", "").toUpperCase(Locale.ROOT)))
                .setSchemaData(body.getString("schema", "").getBytes(UTF_8));
        JsonObject properties = body.getJsonObject("properties", new JsonObject());
        properties.forEach(e -> schema.addProperty().setKey(e.getKey()).setValue(String.valueOf(e.getValue())));
        String malformed = TopicSchemas.malformed(schema);
        if (malformed != null) {
            throw new AdminException(422, malformed);
        }
        Topic topic = topics.createIfMissing(r).topic();
        CompletableFuture<TopicSchemas.Answer> answer = new CompletableFuture<>();
        topics.services().schemas().register(topic.id(), schema, answer::complete);
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

    /** Answers the version that stands for the deletion; with {@code force} there is none. */
    private Object delete(TopicRequest r) throws IOException {
        TopicSchemas schemas = topics.services().schemas();
        long version = 0;
        if (r.found() instanceof Found.There t) {
            if (r.flag("force")) {
                schemas.wipe(t.topic().id());
                version = -1;
            } else {
                version = schemas.delete(t.topic().id());
            }
        }
        return new JsonObject().put("version", version);
    }
}
