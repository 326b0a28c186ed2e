package io.sluice.server.trace;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.server.http.HttpGate;
import io.sluice.store.container.Tasks;
import io.vertx.core.Context;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordingStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /sluice/trace?seconds=10}: samples up to 100 produce requests and writes to the log a second for so long, and answers with a
 * table of what each stage took. One recording at a time; 409 while there is one.
 */
public final class TraceRoute {
    private static final Logger log = LoggerFactory.getLogger(TraceRoute.class);
    private static final Pattern SECONDS = Pattern.compile("[1-9]|[12][0-9]|30");
    private static final String[] EVENTS = {"io.sluice.Produce", "io.sluice.LogWrite"};

    private final Authorizer authorizer;
    private final Tasks tasks;
    private final AtomicBoolean recording = new AtomicBoolean();

    /**
     * @param authorizer is asked whether the cluster may be described
     * @param tasks runs the recording, which blocks
     */
    public TraceRoute(Authorizer authorizer, Tasks tasks) {
        this.authorizer = authorizer;
        this.tasks = tasks;
    }

    /** Adds the route. */
    public void mount(Router router) {
        router.get("/sluice/trace").handler(this::answer);
    }

    private void answer(RoutingContext ctx) {
        String seconds = ctx.queryParam("seconds").stream().findFirst().orElse("10");
        if (!authorizer.allowsOnCluster(HttpGate.callerOf(ctx), Operation.DESCRIBE)) {
            send(ctx, 403, "not authorized\n");
        } else if (!SECONDS.matcher(seconds).matches()) {
            send(ctx, 400, "parameter seconds is '" + seconds + "', expected is a number from 1 to 30\n");
        } else if (!recording.compareAndSet(false, true)) {
            send(ctx, 409, "another trace is being recorded\n");
        } else {
            Context context = ctx.vertx().getOrCreateContext();
            tasks.start("trace requests", () -> {
                try {
                    String table = record(Duration.ofSeconds(Integer.parseInt(seconds)));
                    context.runOnContext(_ -> send(ctx, 200, table));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    context.runOnContext(_ -> send(ctx, 503, "the server stops\n"));
                } catch (RuntimeException e) {
                    log.error("Requests could not be traced", e);
                    context.runOnContext(_ -> send(ctx, 500, "internal error\n"));
                } finally {
                    recording.set(false);
                }
            });
        }
    }

    private static String record(Duration time) throws InterruptedException {
        Stages stages = new Stages();
        try (RecordingStream events = new RecordingStream()) {
            for (String event : EVENTS) {
                events.enable(event);
                events.onEvent(event, stages::add);
            }
            events.startAsync();
            Thread.sleep(time);
            events.stop(); // hands out what was recorded so far, and ends
        }
        return stages.table();
    }

    private static void send(RoutingContext ctx, int status, String body) {
        if (!ctx.response().ended() && !ctx.response().closed()) {
            ctx.response()
                    .setStatusCode(status)
                    .putHeader("content-type", "text/plain")
                    .end(body);
        }
    }
}
