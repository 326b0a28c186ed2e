package io.sluice.pulsar.answers;

import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.TestStores;
import io.sluice.pulsar.admin.OtherNodes;
import io.sluice.pulsar.admin.PulsarAdminApi;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** This server over HTTP, to be asked what Pulsar was. */
final class AskedGateway implements AutoCloseable {
    private static final int SOON = 30;

    private final TestGateway gateway = TestGateway.start();
    private final Vertx vertx = Vertx.vertx();
    private final Router router = Router.router(vertx);
    private final int port;

    AskedGateway() throws Exception {
        new PulsarAdminApi(
                        gateway.gateway().services(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        new InetSocketAddress("127.0.0.1", gateway.port()),
                        () -> null,
                        new OtherNodes(null),
                        TestStores.of(gateway.gateway()))
                .mount(router);
        HttpServer http = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(SOON, TimeUnit.SECONDS);
        port = http.actualPort();
    }

    String http() {
        return "http://127.0.0.1:" + port;
    }

    String binary() {
        return "pulsar://127.0.0.1:" + gateway.port();
    }

    /** Routes that none of the answers is a success of. */
    List<String> unasked(Predicate<String> path, List<Answer> answers) {
        return router.getRoutes().stream()
                .filter(r -> r.methods() != null && r.getPath() != null && path.test(r.getPath()))
                .filter(r -> answers.stream().noneMatch(answered(r)))
                .map(r -> r.methods() + " " + r.getPath())
                .toList();
    }

    private static Predicate<Answer> answered(Route route) {
        Pattern path = Pattern.compile(route.getPath().replaceAll(":[a-zA-Z]+", "[^/]+"));
        return a -> {
            String[] methodAndPath = a.request().split(" ", 2);
            return a.status() < 300
                    && route.methods().stream().anyMatch(m -> m.name().equals(methodAndPath[0]))
                    && path.matcher(methodAndPath[1].replaceFirst("\\?.*", "")).matches();
        };
    }

    @Override
    public void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(SOON, TimeUnit.SECONDS);
        gateway.close();
    }
}
