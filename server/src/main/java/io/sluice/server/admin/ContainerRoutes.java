package io.sluice.server.admin;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.server.containers.ContainerCount;
import io.sluice.server.containers.ContainerCountException;
import io.sluice.server.http.HttpGate;
import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many containers the store has: {@code GET /sluice/containers} tells them, {@code PUT /sluice/containers?count=6}
 * (with {@code &durability=2}, that of those of another level) changes their number and answers when it is done, with what there is then. Errors are {@code {"reason": ...}}.
 */
public final class ContainerRoutes {
    private static final Logger log = LoggerFactory.getLogger(ContainerRoutes.class);
    private static final String PATH = "/sluice/containers";
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,9}");

    private final ContainerCount count;
    private final Authorizer authorizer;
    private final Tasks tasks;

    /**
     * @param authorizer is asked what may be done with the cluster
     * @param tasks runs requests, which block
     */
    public ContainerRoutes(ContainerCount count, Authorizer authorizer, Tasks tasks) {
        this.count = count;
        this.authorizer = authorizer;
        this.tasks = tasks;
    }

    /** Adds the routes. */
    public void mount(Router router) {
        router.get(PATH).handler(ctx -> {
            if (allowed(ctx, Operation.DESCRIBE)) {
                send(ctx, new Answer(200, containers()));
            }
        });
        router.put(PATH).handler(ctx -> {
            if (allowed(ctx, Operation.ALTER)) {
                put(ctx);
            }
        });
    }

    private record Answer(int status, JsonObject body) {
        static Answer refused(int status, String reason) {
            return new Answer(status, new JsonObject().put("reason", reason));
        }
    }

    private boolean allowed(RoutingContext ctx, Operation operation) {
        boolean allowed = authorizer.allowsOnCluster(HttpGate.callerOf(ctx), operation);
        if (!allowed) {
            send(ctx, Answer.refused(403, "not authorized"));
        }
        return allowed;
    }

    private JsonObject containers() {
        var all = new JsonArray();
        for (ContainerCount.View each : count.view()) {
            String state = each.leaving() ? "leaving" : !count.isServed(each.id()) ? "not served" : "served";
            all.add(new JsonObject()
                    .put("container", each.id())
                    .put("state", state)
                    .put("segments", each.segments())
                    .put("durability", each.level()));
        }
        return new JsonObject().put("containers", all);
    }

    private void put(RoutingContext ctx) {
        String given = ctx.queryParam("count").stream().findFirst().orElse("");
        if (!NUMBER.matcher(given).matches()) {
            send(ctx, Answer.refused(400, "parameter count is '" + given + "', expected is a number"));
            return;
        }
        String level = ctx.queryParam("durability").stream().findFirst().orElse("1");
        if (!NUMBER.matcher(level).matches()) {
            send(ctx, Answer.refused(400, "parameter durability is '" + level + "', expected is a number"));
            return;
        }
        Context context = ctx.vertx().getOrCreateContext();
        tasks.start("change container count", () -> {
            Answer answer = change(Integer.parseInt(given), Integer.parseInt(level));
            context.runOnContext(_ -> send(ctx, answer));
        });
    }

    private Answer change(int wanted, int level) {
        try {
            count.set(wanted, level);
            return new Answer(200, containers());
        } catch (ContainerCountException e) {
            return Answer.refused(status(e.reason()), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.refused(503, "the server stops");
        } catch (RuntimeException e) {
            log.error("The number of containers could not be changed", e);
            return Answer.refused(500, "internal error");
        }
    }

    private static int status(ContainerCountException.Reason reason) {
        return switch (reason) {
            case BAD_NUMBER -> 400;
            case CONFLICT -> 409;
            case UNAVAILABLE -> 503;
        };
    }

    private static void send(RoutingContext ctx, Answer answer) {
        ctx.response()
                .setStatusCode(answer.status())
                .putHeader("content-type", "application/json")
                .end(answer.body().encode() + "\n");
    }
}
