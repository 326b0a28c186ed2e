package io.sluice.server.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server: {@code /health} (the process lives), {@code /ready} (it serves), {@code /metrics} (Prometheus text), and
 * what is {@link #mount mounted}.
 */
public final class HttpPort implements AutoCloseable {
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer server;
    private final Router router;
    private final @Nullable HttpTls tls;

    private HttpPort(HttpServer server, Router router, @Nullable HttpTls tls) {
        this.server = server;
        this.router = router;
        this.tls = tls;
    }

    /**
     * Binds and serves what needs no other part, so that a server that recovers for long can be asked how it is.
     *
     * @param tls null for none
     * @param gate before every route; null for none
     * @param largestWebSocketMessage in bytes; what is larger ends its socket
     * @param ready is answered with null, or with what keeps the server from being ready, in one line
     * @throws IOException the port cannot be bound, or a file of the certificate cannot be used
     */
    public static HttpPort open(
            Vertx vertx,
            String host,
            int port,
            @Nullable HttpTls tls,
            @Nullable HttpGate gate,
            int largestWebSocketMessage,
            Supplier<CompletableFuture<@Nullable String>> ready,
            PrometheusMeterRegistry metrics)
            throws IOException {
        Router router = Router.router(vertx);
        if (gate != null) {
            router.route().order(Integer.MIN_VALUE).handler(gate); // Pulsar's routes have orders, too
        }
        router.get("/health").handler(request -> text(request, 200, "ok\n"));
        router.get("/ready")
                .handler(request -> Future.fromCompletionStage(ready.get(), vertx.getOrCreateContext())
                        .onSuccess(wrong -> text(
                                request,
                                wrong == null ? 200 : 503,
                                wrong == null ? "ready\n" : "not ready: " + wrong + "\n"))
                        .onFailure(request::fail));
        router.get("/metrics")
                .handler(request -> request.response()
                        .putHeader("content-type", METRICS_TYPE)
                        .end(metrics.scrape(METRICS_TYPE)));
        // HTTP/1.1 only: a Java client asks to go on in HTTP/2, and under load such a connection may end without an
        // answer.
        var options = new HttpServerOptions()
                .setHost(host)
                .setPort(port)
                .setIdleTimeout(60)
                // What is compressed may be of any size when it is not.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setMaxWebSocketFrameSize(largestWebSocketMessage)
                .setMaxWebSocketMessageSize(largestWebSocketMessage)
                .setHttp2ClearTextEnabled(false);
        if (tls != null) {
            tls.applyTo(options);
        }
        return new HttpPort(bound(vertx.createHttpServer(options).requestHandler(router), host, port), router, tls);
    }

    private static HttpServer bound(HttpServer server, String host, int port) throws IOException {
        try {
            return server.listen().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("cannot listen on " + host + ":" + port, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while binding " + host + ":" + port, e);
        }
    }

    private static void text(RoutingContext request, int status, String body) {
        request.response()
                .setStatusCode(status)
                .putHeader("content-type", "text/plain")
                .end(body);
    }

    /**
     * Gives new connections the certificate that is in the files now. Blocks.
     *
     * @throws IOException a file cannot be used; the earlier certificate stays
     */
    public void renewCertificate() throws IOException {
        if (tls == null) {
            return;
        }
        try {
            server.updateSSLOptions(tls.options(), true)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the certificate of the HTTP listener cannot be renewed: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while renewing a certificate", e);
        }
    }

    /** Adds another module's routes. */
    public void mount(Consumer<Router> routes) {
        routes.accept(router);
    }

    /** All that were mounted. */
    public List<Route> routes() {
        return router.getRoutes();
    }

    public int port() {
        return server.actualPort();
    }

    @Override
    public void close() {
        server.close()
                .toCompletionStage()
                .toCompletableFuture()
                .completeOnTimeout(null, 1, TimeUnit.SECONDS)
                .join();
    }
}
