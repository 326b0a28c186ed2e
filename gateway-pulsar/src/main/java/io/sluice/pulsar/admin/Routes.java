package io.sluice.pulsar.admin;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Right;
import io.sluice.pulsar.admin.PulsarRoutes.PulsarRoute;
import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.registry.SchemaRegistry;
import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds routes, each behind a gate that says what the route does. Their handlers may block: they run on virtual threads, their
 * answers go out on Vert.x's.
 */
final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final long MAX_BODY = 1024 * 1024;
    private static final int BEFORE_OTHERS = -1;

    /** Handles an authorized request; null answers 204. */
    interface Action<T> {
        @Nullable
        Object handle(T request) throws AdminException, IOException;
    }

    /** Answers 200 without a body: how Pulsar says that something is not set. */
    static final String NOTHING = "";

    private final Router router;
    private final Gates gates;
    private final List<Served> served = new ArrayList<>();
    private final Tasks tasks;

    Routes(Router router, Gates gates, Tasks tasks) {
        this.router = router;
        this.gates = gates;
        this.tasks = tasks;
    }

    /** All that were added, each with the rights of which it needs one, as {@code GET /path/:parameter}. */
    Map<String, Set<Right>> rights() {
        Map<String, Set<Right>> rights = new LinkedHashMap<>();
        served.forEach(each -> rights.put(each.method + " " + each.path, each.rights));
        return rights;
    }

    /** Routes of a topic or of one of its partitions, for who may do this with it. */
    Gated<TopicRequest> topic(Operation operation) {
        return new Gated<>(gates.topic(operation), Right.topic(operation));
    }

    /** Routes of a topic as a whole, whichever of its partitions is named. */
    Gated<TopicRequest> wholeTopic(Operation operation) {
        return new Gated<>(gates.wholeTopic(operation), Right.topic(operation));
    }

    /** Routes of a non-persistent topic or of one of its partitions, for who may do this with it. */
    Gated<NonPersistentRequest> nonPersistent(Operation operation) {
        return new Gated<>(gates.nonPersistent(operation), Right.topic(operation));
    }

    Gated<AdminRequest> namespace(Operation operation) {
        return new Gated<>(gates.namespace(operation), Right.topic(operation));
    }

    /** Routes of a subject of the schema registry. */
    Gated<SubjectRequest> subject(Operation operation) {
        return new Gated<>(gates.subject(operation), Right.topic(operation));
    }

    /** Routes of the schema registry as a whole. */
    Gated<AdminRequest> registry(Operation operation) {
        return new Gated<>(gates.registry(operation), Right.topic(operation));
    }

    /** Routes of what holds for all subjects of the schema registry. */
    Gated<AdminRequest> registrySettings(Operation operation) {
        return new Gated<>(gates.registrySettings(operation), Right.cluster(operation));
    }

    /** Routes of a schema of the registry by its id. */
    Gated<AdminRequest> schemaId(Operation operation, SchemaRegistry registry) {
        return new Gated<>(gates.schemaId(operation, registry), Right.topic(operation));
    }

    /** Routes of a tenant: for its administrators, who may do everything on its topics, and for who may do this with the cluster. */
    Gated<AdminRequest> tenant(Operation operation) {
        return new Gated<>(gates.tenant(operation), Right.topic(Operation.ALL), Right.cluster(operation));
    }

    /** Routes about the topics that the body lists: as {@link #tenant}, of the tenants of all of them. */
    Gated<TopicsRequest> topicsOfBody(Operation operation) {
        return new Gated<>(gates.topicsOfBody(operation), Right.topic(Operation.ALL), Right.cluster(operation));
    }

    Gated<AdminRequest> cluster(Operation operation) {
        return new Gated<>(gates.cluster(operation), Right.cluster(operation));
    }

    /** Where routes are added; those added at one are asked the same. */
    final class Gated<T> {
        private final Gates.Gate<T> gate;
        private final Set<Right> rights;

        private Gated(Gates.Gate<T> gate, Right... rights) {
            this.gate = gate;
            this.rights = Set.of(rights);
        }

        void get(String path, Action<T> action) {
            add(HttpMethod.GET, path, action);
        }

        void put(String path, Action<T> action) {
            add(HttpMethod.PUT, path, action);
        }

        void post(String path, Action<T> action) {
            add(HttpMethod.POST, path, action);
        }

        void delete(String path, Action<T> action) {
            add(HttpMethod.DELETE, path, action);
        }

        void add(HttpMethod method, String path, Action<T> action) {
            List<String> segments = PulsarRoute.segments(path.replaceAll(":[a-zA-Z]+", "*"));
            served.add(new Served(method, path, segments, rights));
            router.route(method, path)
                    .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY))
                    .handler(ctx -> start(ctx, r -> action.handle(gate.pass(r))));
        }
    }

    private void start(RoutingContext ctx, Action<AdminRequest> action) {
        Context context = ctx.vertx().getOrCreateContext();
        AdminRequest request = AdminRequest.of(ctx);
        tasks.start("admin request", () -> {
            AdminAnswer answer = run(request, action);
            context.runOnContext(v -> answer.write(ctx));
        });
    }

    private static AdminAnswer run(AdminRequest request, Action<AdminRequest> action) {
        try {
            Object result = action.handle(request);
            return result == null ? AdminAnswer.EMPTY : AdminAnswer.of(result);
        } catch (AdminException e) {
            RegistryException ofRegistry = e.ofRegistry();
            if (ofRegistry != null) {
                return AdminAnswer.error(ofRegistry);
            }
            String other = e.url();
            return other == null
                    ? AdminAnswer.error(e.status(), e.reason())
                    : AdminAnswer.redirect(e.status(), other + request.asked().uri());
        } catch (DecodeException e) {
            return new AdminAnswer(400, "text/plain", "the request's body is not the JSON that is expected");
        } catch (IOException e) {
            LOG.warn("admin request {}: {}", request.path(), e.toString());
            return AdminAnswer.error(503, "metadata is not available now");
        } catch (IllegalArgumentException | ClassCastException e) {
            return AdminAnswer.error(400, "the request's body or parameters are not valid");
        } catch (RuntimeException e) {
            LOG.error("admin request {} failed", request.path(), e);
            return AdminAnswer.error(500, "internal error");
        }
    }

    /** Last routes: what Pulsar has and this server has not answers 501, everything else under one of {@code paths} 404. */
    void otherwise(String... paths) {
        List<PulsarRoute> words = PulsarRoutes.all().stream()
                .map(route -> route.only(method -> isTakenForAnother(method, route)))
                .toList();
        for (String path : paths) {
            router.route(path).order(BEFORE_OTHERS).handler(ctx -> {
                if (PulsarRoutes.have(
                        words, ctx.request().method().name(), ctx.request().path())) {
                    missing(ctx);
                } else {
                    ctx.next();
                }
            });
            router.route(path).handler(this::missing);
        }
    }

    /** Last routes of the schema registry: other paths, and other methods, are refused in its form. */
    void otherwiseOfRegistry(List<String> paths) {
        RegistryContexts.mount(router);
        for (String path : paths) {
            router.route(path).handler(ctx -> {
                String methods = methodsOf(ctx.request().path());
                if (!methods.isEmpty()) {
                    ctx.response().putHeader("Allow", methods);
                }
                AdminAnswer.error(RegistryException.notServed(methods.isEmpty() ? 404 : 405))
                        .write(ctx);
            });
        }
    }

    /** Methods with which a path is served; empty if it is not. */
    private String methodsOf(String path) {
        return served.stream()
                .filter(r -> PulsarRoute.covers(r.segments, PulsarRoute.segments(path)))
                .map(r -> r.method.name())
                .distinct()
                .sorted()
                .collect(Collectors.joining(","));
    }

    /** Whether a word of Pulsar's path would be taken for a parameter of one that is served: {@code brokers/configuration}. */
    private boolean isTakenForAnother(String method, PulsarRoute route) {
        List<Served> sameMethod =
                served.stream().filter(r -> r.method.name().equals(method)).toList();
        return sameMethod.stream().noneMatch(r -> r.segments.equals(route.segments()))
                && sameMethod.stream().anyMatch(r -> PulsarRoute.covers(r.segments, route.segments()));
    }

    /** In the fields of Jetty's answers, which are Pulsar's where it has no route, and with the reason that its other errors have. */
    private void missing(RoutingContext ctx) {
        String method = ctx.request().method().name();
        String path = ctx.request().path();
        if (PulsarRoutes.have(PulsarRoutes.all(), method, path)) {
            answer(ctx, 501, "Not Implemented", whyMissing(method, path));
            return;
        }
        String others = methodsOf(path);
        String reason = "this server does not have " + method + " " + path;
        if (others.isEmpty()) {
            answer(ctx, 404, "Not Found", reason);
        } else {
            ctx.response().putHeader("Allow", others);
            answer(ctx, 405, "Method Not Allowed", reason);
        }
    }

    /** Says of a route of Pulsar that it is not here, and why if it will not be. */
    static String whyMissing(String method, String path) {
        String never = NotApplicable.why(method, path);
        String has = "this server does not have Pulsar's " + method + " " + path;
        return never == null ? has + " yet" : has + ": " + never;
    }

    private static void answer(RoutingContext ctx, int status, String message, String reason) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("servlet", "sluice");
        body.put("message", message);
        body.put("url", ctx.request().path());
        body.put("status", Integer.toString(status));
        body.put("reason", reason);
        new AdminAnswer(status, AdminAnswer.JSON, AdminAnswer.written(body)).write(ctx);
    }

    /** @param segments of the path, {@code *} for a parameter */
    private record Served(HttpMethod method, String path, List<String> segments, Set<Right> rights) {}
}
