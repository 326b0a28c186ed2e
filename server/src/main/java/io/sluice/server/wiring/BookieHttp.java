package io.sluice.server.wiring;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.bookie.cluster.BookieAdmin;
import io.sluice.bookie.cluster.BookieAdmin.Answer;
import io.sluice.bookie.cluster.ClusterBookie;
import io.sluice.server.config.BookieConfig;
import io.sluice.server.http.HttpPort;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** HTTP of a bookie's process: health, metrics, and BookKeeper's admin on its own paths. */
final class BookieHttp implements AutoCloseable {
    private static final long BODY_BYTES = 64 << 10;
    /** There is no route that takes one. */
    private static final int NO_WEB_SOCKETS = 1024;

    private final Closing closing = new Closing();
    private final Vertx vertx;

    /** @param bookie null in a process of autorecovery alone */
    BookieHttp(BookieConfig.Http config, Path data, @Nullable ClusterBookie bookie) throws IOException, StartException {
        vertx = ProcessParts.vertx();
        closing.add(
                () -> vertx.close().toCompletionStage().toCompletableFuture().get(2, TimeUnit.SECONDS));
        try {
            var metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            closing.add(ProcessParts.meters(metrics, data));
            HttpPort port = closing.add(open(config, metrics, bookie));
            if (bookie != null) {
                bind(metrics, bookie);
                BookieAdmin admin = closing.add(bookie.admin());
                port.mount(router -> mount(router, admin));
            }
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    private HttpPort open(BookieConfig.Http config, PrometheusMeterRegistry metrics, @Nullable ClusterBookie bookie)
            throws StartException {
        try {
            return HttpPort.open(
                    vertx,
                    config.host(),
                    config.port(),
                    null,
                    null,
                    NO_WEB_SOCKETS,
                    () -> CompletableFuture.completedFuture(
                            bookie != null && bookie.stoppedItself().isDone() ? "the bookie has stopped" : null),
                    metrics);
        } catch (IOException e) {
            throw new StartException(PortInUse.line("http", config.host(), config.port(), e));
        }
    }

    private static void bind(PrometheusMeterRegistry metrics, ClusterBookie bookie) {
        Gauge.builder("sluice.bookie.writable", bookie, each -> each.isReadOnly() ? 0 : 1)
                .description("1 while the bookie takes writes, 0 while it is only read")
                .register(metrics);
        Gauge.builder("sluice.bookie.journal", bookie, ClusterBookie::retainedBytes)
                .description("Journal kept for ledgers that are alive")
                .baseUnit("bytes")
                .register(metrics);
        Gauge.builder("sluice.bookie.ledgers", bookie, ClusterBookie::ledgers)
                .description("Ledgers that the bookie has entries of")
                .register(metrics);
    }

    private void mount(Router router, BookieAdmin admin) {
        for (String path : admin.paths()) {
            router.route(path)
                    .handler(BodyHandler.create(false).setBodyLimit(BODY_BYTES))
                    .handler(request -> vertx.executeBlocking(() -> ask(request, path, admin), false)
                            .onSuccess(answer -> request.response()
                                    .setStatusCode(answer.status())
                                    .putHeader("content-type", answer.type())
                                    .end(answer.body()))
                            .onFailure(request::fail));
        }
    }

    private static Answer ask(RoutingContext request, String path, BookieAdmin admin) {
        Map<String, String> parameters = new LinkedHashMap<>();
        request.queryParams().forEach(each -> parameters.put(each.getKey(), each.getValue()));
        String body = request.body().asString();
        return admin.ask(path, request.request().method().name(), parameters, body == null ? "" : body);
    }

    @Override
    public void close() {
        closing.close();
    }
}
