package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.broker.access.Operation.WRITE;

import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.pulsar.registry.SchemaRegistry.Given;
import io.sluice.pulsar.registry.SchemaRegistry.Registered;
import io.sluice.pulsar.registry.Subject;
import io.sluice.pulsar.topic.TopicAccess;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The schema registry that stock serializers of Kafka clients ask, by its own paths. Errors are {@code {"error_code": ..., "message": ...}}.
 * Difference on purpose: schemas of type Avro only, contexts and imported ids are refused.
 */
final class RegistryRoutes {
    private static final String TYPE = "application/vnd.schemaregistry.v1+json";
    private static final String SUBJECT = "/subjects/:subject";
    private static final String VERSIONS = SUBJECT + "/versions";
    private static final String VERSION = VERSIONS + "/:version";
    private static final String ID = "/schemas/ids/:id";
    private static final String COMPATIBILITY = "/compatibility/subjects/:subject/versions";

    private final SchemaRegistry registry;
    private final TopicAccess access;

    RegistryRoutes(SchemaRegistry registry, TopicAccess access) {
        this.registry = registry;
        this.access = access;
    }

    private interface Handler<T> {
        Object handle(T request) throws RegistryException, AdminException, IOException;
    }

    /** Answers in the registry's form. */
    private static <T> Routes.Action<T> answered(Handler<T> handler) {
        return request -> {
            try {
                Object result = handler.handle(request);
                return new AdminAnswer(
                        200,
                        TYPE,
                        result instanceof AdminAnswer text ? text.body().toString() : Json.encode(result));
            } catch (RegistryException e) {
                return error(e);
            }
        };
    }

    static AdminAnswer error(RegistryException e) {
        JsonObject body = new JsonObject().put("error_code", e.code()).put("message", e.message());
        return new AdminAnswer(e.status(), TYPE, body.encode());
    }

    void add(Routes routes) {
        var look = routes.subject(DESCRIBE);
        look.get(VERSIONS, answered(r -> list(registry.versions(r.subject(), deleted(r.request())))));
        look.get(VERSION, answered(r -> json(version(r))));
        look.get(
                VERSION + "/schema",
                answered(r -> new AdminAnswer(200, TYPE, version(r).schema())));
        look.post(SUBJECT, answered(r -> json(registry.find(r.subject(), given(r), deleted(r.request())))));
        look.post(COMPATIBILITY, answered(r -> compatible(r, null)));
        look.post(
                COMPATIBILITY + "/:version",
                answered(r -> compatible(r, r.request().get("version"))));
        routes.subject(WRITE).post(VERSIONS, answered(this::register));
        var alter = routes.subject(ALTER);
        alter.delete(SUBJECT, answered(r -> list(registry.delete(r.subject(), permanent(r)))));
        alter.delete(
                VERSION, answered(r -> registry.delete(r.subject(), r.request().get("version"), permanent(r))));

        var id = routes.schemaId(DESCRIBE, registry);
        id.get(ID, answered(r -> {
            Given given = registry.byId(id(r));
            return withReferences(new JsonObject().put("schema", given.schema()), given.references());
        }));
        id.get(
                ID + "/schema",
                answered(r -> new AdminAnswer(200, TYPE, registry.byId(id(r)).schema())));
        id.get(
                ID + "/subjects",
                answered(r -> list(shown(r, registry.placesOf(id(r), deleted(r))).stream()
                        .map(p -> p.subject().name())
                        .toList())));
        id.get(ID + "/versions", answered(r -> {
            JsonArray places = new JsonArray();
            shown(r, registry.placesOf(id(r), deleted(r)))
                    .forEach(place -> places.add(new JsonObject()
                            .put("subject", place.subject().name())
                            .put("version", place.version())));
            return places;
        }));
        var all = routes.registry(DESCRIBE);
        all.get("/subjects", answered(this::subjects));
        all.get("/schemas/types", answered(r -> new JsonArray().add("AVRO")));
        addSettings(routes);
    }

    private void addSettings(Routes routes) {
        var look = routes.subject(DESCRIBE_CONFIGS);
        look.get("/config/:subject", answered(this::level));
        look.get("/mode/:subject", answered(this::mode));
        var change = routes.subject(ALTER_CONFIGS);
        change.put("/config/:subject", answered(r -> setLevel(r.request(), r.subject())));
        change.delete("/config/:subject", answered(r -> {
            Object before = level(r);
            registry.setLevel(r.subject(), null);
            return before;
        }));
        change.put("/mode/:subject", answered(r -> setMode(r.request(), r.subject())));
        change.delete("/mode/:subject", answered(r -> {
            Object before = mode(r);
            registry.setMode(r.subject(), null);
            return before;
        }));
        var lookAtAll = routes.cluster(DESCRIBE_CONFIGS);
        lookAtAll.get("/config", answered(r -> new JsonObject().put("compatibilityLevel", registry.level())));
        lookAtAll.get("/mode", answered(r -> new JsonObject().put("mode", registry.mode())));
        var changeAll = routes.cluster(ALTER_CONFIGS);
        changeAll.put("/config", answered(r -> setLevel(r, null)));
        changeAll.put("/mode", answered(r -> setMode(r, null)));
    }

    private static boolean deleted(AdminRequest r) {
        return r.flag("deleted");
    }

    private static boolean permanent(SubjectRequest r) {
        return r.request().flag("permanent");
    }

    private static int id(AdminRequest r) throws RegistryException {
        try {
            return Integer.parseInt(r.get("id"));
        } catch (NumberFormatException e) {
            throw new RegistryException(404, "HTTP 404 Not Found");
        }
    }

    private static JsonArray list(Iterable<?> values) {
        JsonArray list = new JsonArray();
        values.forEach(list::add);
        return list;
    }

    private Registered version(SubjectRequest r) throws RegistryException, IOException {
        return registry.version(r.subject(), r.request().get("version"), deleted(r.request()));
    }

    private static JsonObject json(Registered schema) {
        JsonObject json = new JsonObject()
                .put("subject", schema.subject().name())
                .put("version", schema.version())
                .put("id", schema.id())
                .put("schema", schema.schema());
        return withReferences(json, schema.references());
    }

    private static JsonObject withReferences(JsonObject json, JsonArray references) {
        return references.isEmpty() ? json : json.put("references", references);
    }

    private static Given given(SubjectRequest r) throws RegistryException {
        JsonObject body = r.request().json();
        String type = body.getString("schemaType", "AVRO");
        if (type != null && !type.equals("AVRO")) {
            throw new RegistryException(
                    RegistryException.BAD_SCHEMA, "this registry keeps schemas of type AVRO, not " + type);
        }
        if (body.getInteger("id", -1) > 0) {
            throw new RegistryException(RegistryException.NOT_PERMITTED, "ids cannot be imported");
        }
        String schema = body.getString("schema");
        if (schema == null) {
            throw new RegistryException(RegistryException.BAD_SCHEMA, "Empty schema");
        }
        JsonArray references = body.getJsonArray("references");
        return new Given(schema, references == null ? new JsonArray() : references);
    }

    private Object register(SubjectRequest r) throws RegistryException, IOException {
        Registered done = registry.register(r.subject(), given(r));
        return new JsonObject().put("id", done.id()).put("version", done.version());
    }

    private Object compatible(SubjectRequest r, @Nullable String version) throws RegistryException, IOException {
        List<String> why = registry.whyNot(r.subject(), given(r), version);
        JsonObject answer = new JsonObject().put("is_compatible", why.isEmpty());
        return r.request().flag("verbose") ? answer.put("messages", list(why)) : answer;
    }

    private List<Registered> shown(AdminRequest r, List<Registered> places) {
        List<Registered> shown = new ArrayList<>(places);
        shown.removeIf(
                place -> !access.allows(r.principal(), DESCRIBE, place.subject().topic()));
        return shown;
    }

    private Object subjects(AdminRequest r) throws IOException, RegistryException {
        String prefix = r.find("subjectPrefix");
        JsonArray names = new JsonArray();
        for (String name : registry.subjects(deleted(r))) {
            if ((prefix == null || name.startsWith(prefix))
                    && access.allows(r.principal(), DESCRIBE, Subject.of(name).topic())) {
                names.add(name);
            }
        }
        return names;
    }

    private JsonObject level(SubjectRequest r) throws RegistryException, IOException {
        String own = registry.ownLevel(r.subject());
        if (own == null && !r.request().flag("defaultToGlobal")) {
            throw new RegistryException(
                    RegistryException.NO_LEVEL,
                    "Subject '" + r.subject().name() + "' does not have subject-level compatibility configured");
        }
        return new JsonObject().put("compatibilityLevel", own == null ? registry.level() : own);
    }

    private JsonObject mode(SubjectRequest r) throws RegistryException, IOException {
        String own = registry.ownMode(r.subject());
        if (own == null && !r.request().flag("defaultToGlobal")) {
            throw new RegistryException(
                    RegistryException.NO_MODE,
                    "Subject '" + r.subject().name() + "' does not have subject-level mode configured");
        }
        return new JsonObject().put("mode", own == null ? registry.mode() : own);
    }

    private Object setLevel(AdminRequest r, @Nullable Subject subject) throws RegistryException, IOException {
        String level = r.json().getString("compatibility", "").toUpperCase(Locale.ROOT);
        registry.setLevel(subject, level);
        return new JsonObject().put("compatibility", level);
    }

    private Object setMode(AdminRequest r, @Nullable Subject subject) throws RegistryException, IOException {
        String mode = r.json().getString("mode", "").toUpperCase(Locale.ROOT);
        registry.setMode(subject, mode);
        return new JsonObject().put("mode", mode);
    }
}
