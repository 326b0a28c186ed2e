package io.sluice.pulsar;

import io.sluice.pulsar.admin.PulsarAdminApi;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;

/** The admin interface of a {@link TestGateway}, and Pulsar's admin client for it. */
final class TestAdmin implements AutoCloseable {
    private static final int SOON = 10;

    private final Vertx vertx = Vertx.vertx();
    private final PulsarAdmin client;

    TestAdmin(TestGateway gateway) throws Exception {
        Router router = Router.router(vertx);
        new PulsarAdminApi(
                        gateway.gateway().services(),
                        gateway.broker().partitions(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        new InetSocketAddress("127.0.0.1", gateway.port()),
                        () -> null)
                .mount(router);
        HttpServer http = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(SOON, TimeUnit.SECONDS);
        client = PulsarAdmin.builder()
                .serviceHttpUrl("http://127.0.0.1:" + http.actualPort())
                .build();
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
