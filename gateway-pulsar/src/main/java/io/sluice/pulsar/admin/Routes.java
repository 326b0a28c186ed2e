package io.sluice.pulsar.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds routes whose handlers may block: they run on virtual threads, their answers go out on Vert.x's. */
final class Routes {
    private static final Logger LOG = LoggerFactory.getLogger(Routes.class);
    private static final long MAX_BODY = 1024 * 1024;

    /** What a route does; null answers 204. */
    interface Action {
        @Nullable
        Object handle(AdminRequest request) throws AdminException, IOException;
    }

    /** Answers 200 without a body: how Pulsar says that something is not set. */
    static final String NOTHING = "";

    private static final String JSON = "application/json";

    private final Router router;
    private final List<Served> served = new ArrayList<>();
    private final Tasks tasks;

    Routes(Router router, Tasks tasks) {
        this.router = router;
        this.tasks = tasks;
    }

    void get(String path, Action action) {
        add(HttpMethod.GET, path, action);
    }

    void put(String path, Action action) {
        add(HttpMethod.PUT, path, action);
    }

    void post(String path, Action action) {
        add(HttpMethod.POST, path, action);
    }

    void delete(String path, Action action) {
        add(HttpMethod.DELETE, path, action);
    }

    private void add(HttpMethod method, String path, Action action) {
        served.add(new Served(method, Pattern.compile(path.replaceAll(":[a-zA-Z]+", "[^/]+"))));
        router.route(method, path)
                .handler(BodyHandler.create(false).setBodyLimit(MAX_BODY))
                .handler(ctx -> start(ctx, action));
    }

    private void start(RoutingContext ctx, Action action) {
        Context context = ctx.vertx().getOrCreateContext();
        AdminRequest request = AdminRequest.of(ctx);
        tasks.start("admin request", () -> {
            Answer answer = run(request, action);
            context.runOnContext(v -> answer.write(ctx));
        });
    }

    private static Answer run(AdminRequest request, Action action) {
        try {
            Object result = action.handle(request);
            return result == null ? Answer.EMPTY : Answer.of(result);
        } catch (AdminException e) {
            return Answer.error(e.status(), e.reason());
        } catch (DecodeException e) {
            return new Answer(400, "text/plain", "the request's body is not the JSON that is expected");
        } catch (IOException e) {
            LOG.warn("admin request {}: {}", request.path(), e.toString());
            return Answer.error(503, "metadata is not available now");
        } catch (IllegalArgumentException | ClassCastException e) {
            return Answer.error(400, "the request's body or parameters are not valid");
        } catch (RuntimeException e) {
            LOG.error("admin request {} failed", request.path(), e);
            return Answer.error(500, "internal error");
        }
    }

    /** Last route: everything else under {@code path} is not there. */
    void otherwise(String path) {
        router.route(path).handler(this::missing);
    }

    /** In the fields of Jetty's answers, which are Pulsar's where it has no route, and with the reason that its other errors have. */
    private void missing(RoutingContext ctx) {
        String method = ctx.request().method().name();
        String path = ctx.request().path();
        String others = served.stream()
                .filter(r -> r.path.matcher(path).matches())
                .map(r -> r.method.name())
                .distinct()
                .sorted()
                .collect(Collectors.joining(","));
        int status = others.isEmpty() ? 404 : 405;
        if (status == 405) {
            ctx.response().putHeader("Allow", others);
        }
        Map<String, String> body = new LinkedHashMap<>();
        body.put("servlet", "sluice");
        body.put("message", status == 404 ? "Not Found" : "Method Not Allowed");
        body.put("url", path);
        body.put("status", Integer.toString(status));
        body.put("reason", "this server does not have " + method + " " + path);
        new Answer(status, JSON, Answer.written(body)).write(ctx);
    }

    private record Served(HttpMethod method, Pattern path) {}

    /** @param body empty if there is none */
    private record Answer(int status, String type, String body) {
        static final Answer EMPTY = new Answer(204, "", "");

        /** Text goes as it is, anything else as JSON by Pulsar's own mapper, which knows its classes. */
        static Answer of(Object result) {
            String body = switch (result) {
                case String text -> text;
                case JsonObject o -> o.encode();
                case JsonArray a -> a.encode();
                default -> written(result);
            };
            return new Answer(200, JSON, body);
        }

        static Answer error(int status, String reason) {
            return new Answer(status, JSON, written(Map.of("reason", reason)));
        }

        static String written(Object value) {
            try {
                return ObjectMapperFactory.getMapper().writer().writeValueAsString(value);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("an answer cannot be written as JSON", e);
            }
        }

        void write(RoutingContext ctx) {
            var response = ctx.response().setStatusCode(status);
            if (body.isEmpty()) {
                response.end();
            } else {
                response.putHeader("Content-Type", type).end(body);
            }
        }
    }
}
