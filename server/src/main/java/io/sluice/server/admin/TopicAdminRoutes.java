package io.sluice.server.admin;

import io.sluice.broker.Broker;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.format.TopicNames;
import io.sluice.server.http.HttpGate;
import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /sluice/topics/describe?topic=T} and {@code POST /sluice/topics/move?topic=T&partition=P&container=C}. A topic
 * is named as Kafka's or as Pulsar's clients name it; scalable ones ({@code topic://}) cannot be moved. Errors are {@code {"reason": ...}}. {@code
 * GET /sluice/topics/graph?topic=T&seconds=N} draws how scalable and elastic topics were spread, as SVG.
 */
public final class TopicAdminRoutes {
    private static final Logger log = LoggerFactory.getLogger(TopicAdminRoutes.class);
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int INTERNAL = 500;
    private static final int UNAVAILABLE = 503;

    private final Broker broker;
    private final ScalingView scaling;
    private final Authorizer authorizer;
    private final Tasks tasks;
    private final ToController toController;

    /** @param tasks runs requests, which block */
    public TopicAdminRoutes(
            Broker broker, KeepTopicsScaled scaling, Authorizer authorizer, Tasks tasks, ToController toController) {
        this.toController = toController;
        this.broker = broker;
        this.scaling = new ScalingView(scaling);
        this.authorizer = authorizer;
        this.tasks = tasks;
    }

    /** Adds the routes. */
    public void mount(Router router) {
        router.get("/sluice/topics/describe").handler(toController).handler(ctx -> answer(ctx, this::describe));
        router.get("/sluice/topics/graph").handler(toController).handler(ctx -> draw(ctx, this::graph));
        router.post("/sluice/topics/move").handler(ctx -> answer(ctx, this::move));
    }

    private interface Action<T> {
        T run(RoutingContext ctx) throws Refused, InterruptedException;
    }

    /** Error answer to a client. */
    private static final class Refused extends Exception {
        private final int status;

        Refused(int status, String reason) {
            super(reason, null, false, false);
            this.status = status;
        }
    }

    private void answer(RoutingContext ctx, Action<JsonObject> action) {
        answer(ctx, "application/json", from -> action.run(from).encode() + "\n");
    }

    private void draw(RoutingContext ctx, Action<String> picture) {
        answer(ctx, "image/svg+xml", picture);
    }

    private void answer(RoutingContext ctx, String type, Action<String> action) {
        Context context = ctx.vertx().getOrCreateContext();
        tasks.start("admin request", () -> {
            try {
                send(context, ctx, 200, type, action.run(ctx));
            } catch (Refused e) {
                refuse(context, ctx, e.status, String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                refuse(context, ctx, UNAVAILABLE, "the server stops");
            } catch (RuntimeException e) {
                log.error("Request {} failed", ctx.request().path(), e);
                refuse(context, ctx, INTERNAL, "internal error");
            }
        });
    }

    private static void refuse(Context context, RoutingContext ctx, int status, String reason) {
        send(
                context,
                ctx,
                status,
                "application/json",
                new JsonObject().put("reason", reason).encode() + "\n");
    }

    private static void send(Context context, RoutingContext ctx, int status, String type, String body) {
        context.runOnContext(v -> ctx.response()
                .setStatusCode(status)
                .putHeader("content-type", type)
                .end(body));
    }

    private Topic topic(RoutingContext ctx, Operation operation) throws Refused {
        String given = parameter(ctx, "topic");
        TopicName name = nameOf(given);
        allow(ctx, name, operation);
        Topic found = name == null ? null : broker.catalogue().find(name);
        if (found == null) {
            throw new Refused(NOT_FOUND, "there is no topic " + given);
        }
        return found;
    }

    private void allow(RoutingContext ctx, @Nullable TopicName name, Operation operation) throws Refused {
        if (name != null && !authorizer.allows(HttpGate.callerOf(ctx), operation, name)) {
            throw new Refused(FORBIDDEN, "not authorized");
        }
    }

    private ScalableTopic scalable(RoutingContext ctx, String given) throws Refused {
        try {
            TopicName name = PulsarNames.parseScalable(given).topic();
            allow(ctx, name, Operation.DESCRIBE);
            ScalableTopic topic = broker.scalableTopics().find(name);
            if (topic == null) {
                throw new Refused(NOT_FOUND, "there is no topic " + given);
            }
            return topic;
        } catch (TopicException e) {
            throw new Refused(BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable TopicName nameOf(String given) throws Refused {
        if (!given.contains("://")) {
            return TopicNames.fromKafka(given);
        }
        try {
            return PulsarNames.parse(given).topic();
        } catch (TopicException e) {
            throw new Refused(BAD_REQUEST, String.valueOf(e.getMessage()));
        }
    }

    private static String parameter(RoutingContext ctx, String name) throws Refused {
        String value = ctx.request().getParam(name);
        if (value == null || value.isEmpty()) {
            throw new Refused(BAD_REQUEST, "parameter " + name + " is missing");
        }
        return value;
    }

    private static int number(RoutingContext ctx, String name) throws Refused {
        String value = parameter(ctx, name);
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new Refused(BAD_REQUEST, "parameter " + name + " is '" + value + "', expected is a number");
        }
    }

    private JsonObject describe(RoutingContext ctx) throws Refused, InterruptedException {
        String given = parameter(ctx, "topic");
        return PulsarNames.isScalable(given)
                ? scaling.of(scalable(ctx, given))
                : new TopicView(broker, scaling).of(topic(ctx, Operation.DESCRIBE));
    }

    private String graph(RoutingContext ctx) throws Refused {
        String given = parameter(ctx, "topic");
        int seconds = ctx.request().getParam("seconds") == null ? 0 : number(ctx, "seconds");
        if (seconds < 0) {
            throw new Refused(BAD_REQUEST, "parameter seconds is negative");
        }
        if (PulsarNames.isScalable(given)) {
            return scaling.picture(scalable(ctx, given), seconds);
        }
        Topic topic = topic(ctx, Operation.DESCRIBE);
        if (!topic.isElastic()) {
            throw new Refused(
                    BAD_REQUEST, "topic " + given + " is neither elastic nor scalable: its partitions do not spread");
        }
        return scaling.picture(topic, seconds);
    }

    private JsonObject move(RoutingContext ctx) throws Refused, InterruptedException {
        Topic topic = topic(ctx, Operation.ALTER);
        int partition = number(ctx, "partition");
        int container = number(ctx, "container");
        try {
            return new TopicView(broker, scaling)
                    .of(broker.catalogue()
                            .move(topic.name(), partition, container)
                            .join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof TopicException refused) {
                throw new Refused(statusOf(refused.reason()), String.valueOf(refused.getMessage()));
            }
            throw e;
        }
    }

    private static int statusOf(TopicException.Reason reason) {
        return switch (reason) {
            case NOT_FOUND -> NOT_FOUND;
            case UNAVAILABLE -> UNAVAILABLE;
            case ALREADY_EXISTS, RESERVED_NAME, SCALABLE, HAS_SHADOWS -> CONFLICT;
            case INVALID_NAME, INVALID_PARTITIONS, INVALID_SETTING, INVALID_SEGMENT -> BAD_REQUEST;
        };
    }
}
