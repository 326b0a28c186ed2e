package io.sluice.server.http;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.server.containers.ContainerCount;
import io.sluice.server.containers.ContainerCountException;
import io.vertx.core.Context;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;

/**
 * How many containers the store has: {@code GET /admin/sluice/containers} tells them, {@code PUT ...?count=6} changes their
 * number and answers when it is done, with what there is then. Errors are one line of text.
 */
public final class ContainerRoutes {
    private static final String PATH = "/admin/sluice/containers";
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    private final ContainerCount count;
    private final Authorizer access;

    /** @param access is asked what may be done with the cluster */
    public ContainerRoutes(ContainerCount count, Authorizer access) {
        this.count = count;
        this.access = access;
    }

    public void mount(Router router) {
        router.get(PATH).handler(request -> {
            if (allowed(request, Operation.DESCRIBE)) {
                answer(request, 200, "application/json", containers());
            }
        });
        router.put(PATH).handler(request -> {
            if (allowed(request, Operation.ALTER)) {
                put(request);
            }
        });
    }

    private boolean allowed(RoutingContext request, Operation operation) {
        boolean allowed = access.allowsOnCluster(Principal.ANONYMOUS, operation);
        if (!allowed) {
            text(request, 403, "this operation requires super-user access");
        }
        return allowed;
    }

    private String containers() {
        var all = new JsonArray();
        for (ContainerCount.View each : count.view()) {
            String state = each.leaving() ? "leaving" : each.segments() == null ? "not served" : "served";
            all.add(new JsonObject()
                    .put("container", each.id())
                    .put("state", state)
                    .put("segments", each.segments()));
        }
        return all.encode();
    }

    private void put(RoutingContext request) {
        String given = request.queryParam("count").stream().findFirst().orElse("");
        if (!NUMBER.matcher(given).matches()) {
            text(request, 400, "count is '" + given + "', expected is a number");
            return;
        }
        Context context = request.vertx().getOrCreateContext();
        Thread.ofVirtual().name("change container count").start(() -> {
            Runnable answer = change(request, Integer.parseInt(given));
            context.runOnContext(_ -> answer.run());
        });
    }

    /** Blocks; what it returns is to be run on Vert.x's thread. */
    private Runnable change(RoutingContext request, int wanted) {
        try {
            count.set(wanted);
            return () -> answer(request, 200, "application/json", containers());
        } catch (ContainerCountException e) {
            return () -> text(request, status(e.reason()), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return () -> text(request, 503, "the server stops");
        } catch (RuntimeException e) {
            return () -> request.fail(e);
        }
    }

    private static int status(ContainerCountException.Reason reason) {
        return switch (reason) {
            case BAD_NUMBER -> 400;
            case CONFLICT -> 409;
            case UNAVAILABLE -> 503;
        };
    }

    private static void text(RoutingContext request, int status, String line) {
        answer(request, status, "text/plain", line + "\n");
    }

    private static void answer(RoutingContext request, int status, String type, String body) {
        request.response().setStatusCode(status).putHeader("content-type", type).end(body);
    }
}
