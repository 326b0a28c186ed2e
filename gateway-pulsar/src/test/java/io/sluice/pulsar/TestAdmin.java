package io.sluice.pulsar;

import io.sluice.broker.access.Principal;
import io.sluice.broker.access.Right;
import io.sluice.pulsar.admin.OtherNodes;
import io.sluice.pulsar.admin.PulsarAdminApi;
import io.sluice.pulsar.websocket.OtherGateways;
import io.sluice.pulsar.websocket.WebSocketApi;
import io.sluice.store.tls.TrustedAuthorities;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.jspecify.annotations.Nullable;

/** The admin interface of a {@link TestGateway}, and Pulsar's admin client for it. */
final class TestAdmin implements AutoCloseable {
    /** WebSockets at one time. */
    static final int SOCKETS = 50;

    private static final int SOON = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Vertx vertx = Vertx.vertx();
    private final Router router = Router.router(vertx);
    private final PulsarAdmin client;
    private final int port;
    private final @Nullable Tls tls;
    private final Map<String, Set<Right>> rights;
    /** Credentials that requests have had, and for whom. */
    final Set<String> callers = ConcurrentHashMap.newKeySet();

    /**
     * Files, PEM, of an interface with TLS.
     *
     * @param authority by which clients trust it
     * @param trusted authority by which it trusts other nodes
     */
    record Tls(Path certificate, Path key, Path authority, Path trusted) {}

    TestAdmin(TestGateway gateway) throws Exception {
        this(gateway.gateway(), gateway.port());
    }

    /** @param asking who asks, as if the listener had authenticated it */
    TestAdmin(TestGateway gateway, Principal asking) throws Exception {
        this(gateway.gateway(), gateway.port(), PATIENCE, asking, null);
    }

    /** @param binary port of the gateway */
    TestAdmin(PulsarGateway gateway, int binary) throws Exception {
        this(gateway, binary, PATIENCE);
    }

    /**
     * @param binary port of the gateway
     * @param patience how long a request waits for a node that serves what it is about
     */
    TestAdmin(PulsarGateway gateway, int binary, Duration patience) throws Exception {
        this(gateway, binary, patience, null, null);
    }

    /** That of one of two nodes. */
    TestAdmin(TwoGateways both, int node) throws Exception {
        this(both, node, null, null);
    }

    /** @param asking who asks, as if the listener had authenticated it; null for anybody */
    TestAdmin(TwoGateways both, int node, @Nullable Principal asking, @Nullable Tls tls) throws Exception {
        this(
                both.gateway(node),
                both.port(node),
                PATIENCE,
                asking,
                tls,
                new OtherGateways(both.peers.of(node), tls == null ? null : TrustedAuthorities.in(tls.trusted())));
    }

    private TestAdmin(
            PulsarGateway gateway, int binary, Duration patience, @Nullable Principal asking, @Nullable Tls tls)
            throws Exception {
        this(gateway, binary, patience, asking, tls, OtherGateways.NONE);
    }

    private TestAdmin(
            PulsarGateway gateway,
            int binary,
            Duration patience,
            @Nullable Principal asking,
            @Nullable Tls tls,
            OtherGateways others)
            throws Exception {
        this.tls = tls;
        router.route().handler(ctx -> {
            var request = ctx.request();
            callers.add(request.getHeader("Authorization") + " for " + request.getHeader("X-Original-Principal"));
            ctx.next();
        });
        if (asking != null) {
            router.route().handler(ctx -> {
                ctx.put(Principal.ATTRIBUTE, asking);
                ctx.next();
            });
        }
        rights = new LinkedHashMap<>(new PulsarAdminApi(
                        gateway.services(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        new InetSocketAddress("127.0.0.1", binary),
                        () -> null,
                        new OtherNodes(tls == null ? null : TrustedAuthorities.in(tls.trusted())),
                        TestStores.of(gateway),
                        patience)
                .mount(router));
        new WebSocketApi(gateway, others, SOCKETS, 0)
                .mount(router)
                .forEach((route, right) -> rights.put(route, Set.of(right)));
        int largest =
                WebSocketApi.largestMessage(gateway.services().config().limits().maxMessageBytes());
        HttpServerOptions options =
                new HttpServerOptions().setMaxWebSocketFrameSize(largest).setMaxWebSocketMessageSize(largest);
        if (tls != null) {
            options.setSsl(true)
                    .setKeyCertOptions(new PemKeyCertOptions()
                            .setCertPath(tls.certificate().toString())
                            .setKeyPath(tls.key().toString()));
        }
        HttpServer http = vertx.createHttpServer(options)
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(SOON, TimeUnit.SECONDS);
        port = http.actualPort();
        var building = PulsarAdmin.builder().serviceHttpUrl(url());
        client = (tls == null
                        ? building
                        : building.tlsTrustCertsFilePath(tls.authority().toString()))
                .build();
    }

    /** {@code http://host:port}, or {@code https}. */
    String url() {
        return (tls == null ? "http" : "https") + "://127.0.0.1:" + port;
    }

    int port() {
        return port;
    }

    /** Rights of which each route needs one. */
    Map<String, Set<Right>> rights() {
        return rights;
    }

    /** Every route there is. */
    List<Route> routes() {
        return router.getRoutes();
    }

    /** @return status and body */
    HttpResponse<String> ask(String method, String path) throws Exception {
        return ask(method, path, "");
    }

    HttpResponse<String> ask(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + path))
                .method(
                        method,
                        body.isEmpty()
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofString(body))
                .header("content-type", "application/json")
                .build();
        HttpClient.Builder asking = HttpClient.newBuilder();
        if (tls != null) {
            asking.sslContext(TrustedAuthorities.in(tls.authority()));
        }
        try (HttpClient http = asking.build()) {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    PulsarAdmin client() {
        return client;
    }

    @Override
    public void close() throws Exception {
        client.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(SOON, TimeUnit.SECONDS);
    }
}
