package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.WRITE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.schema.TopicSchemas;
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
        List<Schema> schemas = schemas(r);
        long at = version < 0 ? schemas.size() - 1L : version;
        if (at < 0 || at >= schemas.size()) {
            throw new AdminException(404, "Schema not found");
        }
        return json(schemas.get((int) at), at);
    }

    private Object all(TopicRequest r) throws AdminException, IOException {
        JsonArray each = new JsonArray();
        List<Schema> schemas = schemas(r);
        for (int i = 0; i < schemas.size(); i++) {
            each.add(json(schemas.get(i), i));
        }
        return new JsonObject().put("getSchemaResponses", each);
    }

    private List<Schema> schemas(TopicRequest r) throws IOException {
        return r.found() instanceof Found.There t
                ? topics.services().schemas().all(t.topic().id())
                : List.of();
    }

    private static JsonObject json(Schema schema, long version) {
        return new JsonObject()
                .put("version", version)
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
        return switch (LoopCalls.await(answer)) {
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

    private Object delete(TopicRequest r) throws AdminException, IOException {
        long versions = schemas(r).size();
        if (versions == 0) {
            return new JsonObject().put("version", 0);
        }
        CompletableFuture<TopicSchemas.Answer> answer = new CompletableFuture<>();
        topics.services().schemas().delete(topics.topic(r).id(), answer::complete);
        LoopCalls.await(answer);
        return new JsonObject().put("version", versions);
    }
}
