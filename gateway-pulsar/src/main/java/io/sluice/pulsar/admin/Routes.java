package io.sluice.pulsar.admin;

import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
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

    private final Router router;
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
            return result == null ? new Answer(204, null) : new Answer(200, result);
        } catch (AdminException e) {
            return Answer.error(e.status(), e.reason());
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
        router.route(path)
                .handler(ctx -> Answer.error(
                                404,
                                "this server does not have " + ctx.request().method() + " "
                                        + ctx.request().path())
                        .write(ctx));
    }

    /** @param body text goes as it is, anything else as JSON */
    private record Answer(int status, @Nullable Object body) {
        static Answer error(int status, String reason) {
            return new Answer(status, new JsonObject().put("reason", reason));
        }

        void write(RoutingContext ctx) {
            var response = ctx.response().setStatusCode(status);
            switch (body) {
                case null -> response.end();
                case String text ->
                    response.putHeader("Content-Type", "text/plain").end(text);
                default ->
                    response.putHeader("Content-Type", "application/json").end(Json.encode(body));
            }
        }
    }
}
