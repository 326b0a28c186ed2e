package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.WRITE;

import io.sluice.pulsar.registry.Registered;
import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.pulsar.registry.SchemaRegistry.Given;
import io.sluice.pulsar.registry.SchemaRegistry.Place;
import io.sluice.pulsar.registry.Subject;
import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.pulsar.topic.TopicAccess;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schema registry that stock serializers of Kafka clients ask, by its own paths. Errors are {@code {"error_code": ..., "message": ...}}.
 * Difference on purpose: there is the default context only, and metadata and rules of a schema are not kept.
 */
final class RegistryRoutes {
    private static final Logger LOG = LoggerFactory.getLogger(RegistryRoutes.class);
    private static final String SUBJECT = "/subjects/:subject";
    private static final String VERSIONS = SUBJECT + "/versions";
    private static final String VERSION = VERSIONS + "/:version";
    private static final String ID = "/schemas/ids/:id";
    private static final String ALL_CONTEXTS = ":*:";
    /** Schemas of one answer. */
    private static final int MOST_SCHEMAS = 1_000;

    private static final String COMPATIBILITY = "/compatibility/subjects/:subject/versions";

    /** All paths of the registry. */
    static final List<String> PATHS =
            List.of("/subjects/*", "/schemas/*", "/compatibility/*", "/config/*", "/mode/*", RegistryContexts.PATH);

    private final SchemaRegistry registry;
    private final TopicAccess access;

    RegistryRoutes(SchemaRegistry registry, TopicAccess access) {
        this.registry = registry;
        this.access = access;
    }

    interface Handler<T> {
        Object handle(T request) throws RegistryException, AdminException, IOException;
    }

    /** Answers in the registry's form. */
    static <T> Routes.Action<T> answered(Handler<T> handler) {
        return request -> {
            try {
                Object result = handler.handle(request);
                return new AdminAnswer(
                        200,
                        AdminAnswer.REGISTRY,
                        result instanceof AdminAnswer text ? text.body().toString() : Json.encode(result));
            } catch (RegistryException e) {
                return AdminAnswer.error(e);
            } catch (IOException e) {
                LOG.warn("registry: {}", e.toString());
                return AdminAnswer.error(RegistryException.unavailable());
            } catch (DecodeException | IllegalArgumentException | ClassCastException e) {
                return AdminAnswer.error(new RegistryException(400, "the request's body or parameters are not valid"));
            }
        };
    }

    void add(Routes routes) {
        var look = routes.subject(DESCRIBE);
        look.get(VERSIONS, answered(r -> list(registry.subjects().versions(r.subject(), deleted(r.request())))));
        look.get(VERSION, answered(r -> json(formatted(r.request(), version(r)))));
        look.get(
                VERSION + "/schema",
                answered(r -> new AdminAnswer(
                        200,
                        AdminAnswer.REGISTRY,
                        formatted(r.request(), version(r)).schema())));
        look.get(
                VERSION + "/referencedby",
                answered(r -> list(registry.referrers(r.subject(), r.request().get("version")))));
        look.post(
                SUBJECT,
                answered(r ->
                        json(formatted(r.request(), registry.find(r.subject(), given(r), deleted(r.request()))))));
        look.post(COMPATIBILITY, answered(r -> compatible(r, null)));
        look.post(
                COMPATIBILITY + "/:version",
                answered(r -> compatible(r, r.request().get("version"))));
        routes.subject(WRITE).post(VERSIONS, answered(this::register));
        var alter = routes.subject(ALTER);
        alter.delete(SUBJECT, answered(r -> list(registry.delete(r.subject(), permanent(r)))));
        alter.delete(
                VERSION, answered(r -> registry.delete(r.subject(), r.request().get("version"), permanent(r))));
        addIds(routes);
        var all = routes.registry(DESCRIBE);
        all.get("/subjects", answered(this::subjects));
        all.get("/schemas", answered(this::schemas));
        all.get("/schemas/types", answered(r -> list(SchemaTypes.names())));
        all.get("/contexts", answered(r -> new JsonArray().add(".")));
        new RegistrySettingsRoutes(registry).add(routes);
    }

    private void addIds(Routes routes) {
        var id = routes.schemaId(DESCRIBE, registry);
        id.get(ID, answered(r -> {
            Given given = registry.byId(id(r));
            JsonObject json = withReferences(
                    withType(new JsonObject().put("schema", registry.in(form(r), given)), given.type()),
                    given.references());
            return r.flag("fetchMaxId") ? json.put("maxId", registry.maxId()) : json;
        }));
        id.get(
                ID + "/schema",
                answered(r -> new AdminAnswer(200, AdminAnswer.REGISTRY, registry.in(form(r), registry.byId(id(r))))));
        id.get(
                ID + "/subjects",
                answered(r -> list(shown(r, registry.placesOf(id(r), deleted(r))).stream()
                        .map(p -> p.subject().name())
                        .distinct()
                        .toList())));
        id.get(ID + "/versions", answered(r -> {
            JsonArray places = new JsonArray();
            shown(r, registry.placesOf(id(r), deleted(r)))
                    .forEach(place -> places.add(new JsonObject()
                            .put("subject", place.subject().name())
                            .put("version", place.version())));
            return places;
        }));
    }

    private static boolean deleted(AdminRequest r) {
        return r.flag("deleted");
    }

    private static boolean permanent(SubjectRequest r) {
        return r.request().flag("permanent");
    }

    /** An id of another context, which a client's subject names, is not that of the schema that has it here. */
    private static int id(AdminRequest r) throws RegistryException {
        String subject = r.find("subject");
        if (subject != null && Subject.isOfOtherContext(subject)) {
            throw new RegistryException(RegistryException.NO_SCHEMA, "Schema " + r.get("id") + " not found");
        }
        try {
            return Integer.parseInt(r.get("id"));
        } catch (NumberFormatException e) {
            throw RegistryException.notServed(404);
        }
    }

    private static JsonArray list(Iterable<?> values) {
        JsonArray list = new JsonArray();
        values.forEach(list::add);
        return list;
    }

    private static String form(AdminRequest r) {
        String form = r.find("format");
        return form == null ? "" : form;
    }

    private Registered version(SubjectRequest r) throws RegistryException, IOException {
        return registry.subjects().version(r.subject(), r.request().get("version"), deleted(r.request()));
    }

    private Registered formatted(AdminRequest r, Registered schema) throws RegistryException, IOException {
        String text = registry.in(form(r), new Given(schema.type(), schema.schema(), schema.references()));
        return new Registered(
                schema.subject(), schema.id(), schema.version(), schema.type(), text, schema.references());
    }

    private static JsonObject json(Registered schema) {
        JsonObject json = new JsonObject()
                .put("subject", schema.subject().name())
                .put("version", schema.version())
                .put("id", schema.id());
        return withReferences(withType(json, schema.type()).put("schema", schema.schema()), schema.references());
    }

    /** The type of those that have always been there is left out, as in Confluent's registry. */
    private static JsonObject withType(JsonObject json, String type) {
        return type.equals(SchemaTypes.STANDARD) ? json : json.put("schemaType", type);
    }

    private static JsonObject withReferences(JsonObject json, JsonArray references) {
        return references.isEmpty() ? json : json.put("references", references);
    }

    private Given given(SubjectRequest r) throws RegistryException {
        JsonObject body = r.request().json();
        Object type = body.getValue("schemaType");
        if (!(body.getValue("schema") instanceof String schema) || schema.isBlank()) {
            throw new RegistryException(RegistryException.BAD_SCHEMA, "Empty schema");
        }
        Object references = body.getValue("references");
        if (references != null && !(references instanceof JsonArray)) {
            throw new RegistryException(RegistryException.BAD_SCHEMA, "references are an array");
        }
        JsonArray named = references == null ? new JsonArray() : (JsonArray) references;
        for (Object each : named) {
            if (each instanceof JsonObject reference && reference.getValue("subject") instanceof String subject) {
                refuseUnlessSeen(r.request(), Subject.of(subject));
            }
        }
        return new Given(type == null ? SchemaTypes.STANDARD : type.toString(), schema, named);
    }

    /** A schema can be read with all that it refers to. */
    private void refuseUnlessSeen(AdminRequest r, Subject subject) throws RegistryException {
        if (!access.allows(r.principal(), DESCRIBE, subject.topic())) {
            throw new RegistryException(
                    RegistryException.DENIED,
                    "Unauthorized for operation [" + DESCRIBE + "] on subject [" + subject.name() + "]");
        }
    }

    /** Refuses rules, on which clients rely: a serializer that finds its schema without them would write in clear what it was to encrypt. */
    static void refuseRules(@Nullable Object ruleSet) throws RegistryException {
        boolean none = ruleSet == null
                || ruleSet instanceof JsonObject rules
                        && rules.stream()
                                .allMatch(each -> each.getValue() == null
                                        || each.getValue() instanceof JsonArray list && list.isEmpty());
        if (!none) {
            throw new RegistryException(RegistryException.BAD_RULES, "Rules of schemas are not kept here");
        }
    }

    /** Id and version of another registry, where it is imported. */
    private static Place place(JsonObject body) throws RegistryException {
        if (body.getValue("id", 0) instanceof Integer id && body.getValue("version", 0) instanceof Integer version) {
            return new Place(Math.max(0, id), Math.max(0, version));
        }
        throw new RegistryException(RegistryException.BAD_SCHEMA, "id and version are numbers");
    }

    /** Without the schema: a client keeps what it is given for what it sent, which may be of another form. */
    private Object register(SubjectRequest r) throws RegistryException, IOException {
        boolean normalize = r.request().flag("normalize");
        refuseRules(r.request().json().getValue("ruleSet"));
        Registered done = registry.register(
                r.subject(), given(r), normalize, place(r.request().json()));
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
        return list(names(r));
    }

    /** Subjects that the caller may see, of those whose names begin as it says. */
    private List<String> names(AdminRequest r) throws IOException, RegistryException {
        String asked = r.find("subjectPrefix");
        String prefix = asked == null || asked.equals(ALL_CONTEXTS)
                ? ""
                : asked.startsWith(Subject.DEFAULT_CONTEXT) ? asked.substring(Subject.DEFAULT_CONTEXT.length()) : asked;
        List<String> names = new ArrayList<>();
        for (String name : registry.subjects().names(deleted(r))) {
            if (name.startsWith(prefix)
                    && access.allows(r.principal(), DESCRIBE, Subject.of(name).topic())) {
                names.add(name);
            }
        }
        return names;
    }

    private Object schemas(AdminRequest r) throws IOException, RegistryException {
        int offset = Math.max(0, number(r, "offset", 0));
        int asked = number(r, "limit", MOST_SCHEMAS);
        int limit = asked < 0 ? MOST_SCHEMAS : Math.min(asked, MOST_SCHEMAS);
        JsonArray page = new JsonArray();
        int at = 0;
        for (String name : names(r)) {
            if (page.size() >= limit) {
                break;
            }
            for (Registered each : registry.subjects().all(Subject.of(name), deleted(r), r.flag("latestOnly"))) {
                if (at++ >= offset && page.size() < limit) {
                    page.add(json(each));
                }
            }
        }
        return page;
    }

    private static int number(AdminRequest r, String parameter, int otherwise) throws RegistryException {
        String text = r.find(parameter);
        try {
            return text == null ? otherwise : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw RegistryException.notServed(404);
        }
    }
}
