package io.sluice.server.admin;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.balance.KeepContainerCount;
import io.sluice.broker.balance.KeepLoadEven;
import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.Rate;
import io.sluice.broker.balance.Strain;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.server.http.HttpGate;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.util.Comparator;

/**
 * {@code GET /sluice/balance}: what each container has to do, and which partitions were moved, which topics split and merged, how the
 * number of containers changed of late, and why.
 */
public final class BalanceRoutes {
    private final KeepLoadEven balance;
    private final KeepContainerCount count;
    private final ScalingView scaling;
    private final Authorizer authorizer;
    private final ToController toController;

    /** @param authorizer changes of topics that the caller may not describe are left out */
    public BalanceRoutes(
            KeepLoadEven balance,
            KeepContainerCount count,
            KeepTopicsScaled scaling,
            Authorizer authorizer,
            ToController toController) {
        this.toController = toController;
        this.count = count;
        this.balance = balance;
        this.scaling = new ScalingView(scaling);
        this.authorizer = authorizer;
    }

    /** Adds the route. */
    public void mount(Router router) {
        router.get("/sluice/balance")
                .handler(toController)
                .handler(ctx -> ctx.response()
                        .putHeader("content-type", "application/json")
                        .end(page(HttpGate.callerOf(ctx)).encode() + "\n"));
    }

    private JsonObject page(Principal caller) {
        KeepLoadEven.View view = balance.view();
        JsonArray containers = new JsonArray();
        view.sample().containers().stream()
                .sorted(Comparator.comparingInt(ContainerLoad::id))
                .forEach(container -> containers.add(json(container)));
        JsonArray moves = new JsonArray();
        view.moves().stream()
                .filter(done -> authorizer
                        .quietly()
                        .allows(caller, Operation.DESCRIBE, done.move().topic()))
                .forEach(done -> moves.add(json(done)));
        return new JsonObject()
                .put("unevenness", balance.unevenness())
                .put("containers", containers)
                .put("moves", moves)
                .put("containerCounts", counts())
                .put(
                        "scaling",
                        scaling.steps(done -> authorizer.quietly().allows(caller, Operation.DESCRIBE, done.topic())));
    }

    private JsonArray counts() {
        JsonArray all = new JsonArray();
        count.changes()
                .forEach(change -> all.add(new JsonObject()
                        .put("secondsAgo", balance.secondsSince(change.at()))
                        .put("durability", change.level())
                        .put("from", change.from())
                        .put("to", change.to())
                        .put("changed", change.done())
                        .put("reason", change.reason())));
        return all;
    }

    private static JsonObject json(ContainerLoad container) {
        Rate rate = container.rate();
        Strain strain = container.strain();
        return new JsonObject()
                .put("container", container.id())
                .put("load", Math.round(rate.load()))
                .put("bytesInPerSecond", Math.round(rate.bytesIn()))
                .put("appendsPerSecond", Math.round(rate.appends()))
                .put("bytesOutPerSecond", Math.round(rate.bytesOut()))
                .put("readsPerSecond", Math.round(rate.reads()))
                .put("loop", strain.loop())
                .put("loopBusy", strain.loopBusy())
                .put("logPressure", strain.logPressure())
                .put("tierPressure", strain.tierPressure());
    }

    private JsonObject json(KeepLoadEven.Done done) {
        return new JsonObject()
                .put("secondsAgo", balance.secondsSince(done.at()))
                .put("topic", done.move().topic().toString())
                .put("partition", done.move().partition())
                .put("from", done.move().from())
                .put("to", done.move().to())
                .put("moved", done.moved())
                .put("reason", done.move().reason());
    }
}
