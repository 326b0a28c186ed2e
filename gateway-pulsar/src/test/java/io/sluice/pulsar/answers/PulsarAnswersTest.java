package io.sluice.pulsar.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.admin.PulsarAdminApi;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Every JSON field of every answer is Apache Pulsar's, or {@code pulsar-differences.txt} says why not. Clients read answers into
 * types of their own, and some end where a field is not there..
 */
@Timeout(120)
class PulsarAnswersTest {
    private static final int SOON = 10;

    private static Vertx vertx;
    private static TestGateway gateway;
    private static Router router;
    private static List<Answer> pulsars;
    private static List<Answer> ours;

    @BeforeAll
    static void ask() throws Exception {
        pulsars = AnswerFile.read(resource("/pulsar-4.2.4-answers.json"));
        gateway = TestGateway.start();
        vertx = Vertx.vertx();
        router = Router.router(vertx);
        new PulsarAdminApi(
                        gateway.gateway().services(),
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
        ours = Scenario.run("http://127.0.0.1:" + http.actualPort(), "pulsar://127.0.0.1:" + gateway.port());
    }

    @AfterAll
    static void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(SOON, TimeUnit.SECONDS);
        gateway.close();
    }

    private static InputStream resource(String name) {
        return Objects.requireNonNull(PulsarAnswersTest.class.getResourceAsStream(name), name);
    }

    @Test
    void pulsarWasAskedTheSame() {
        assertThat(ours.stream().map(a -> a.step() + ": " + a.request()))
                .as("answers of Pulsar were recorded with another scenario: run conformance/record-pulsar-answers")
                .containsExactlyElementsOf(
                        pulsars.stream().map(a -> a.step() + ": " + a.request()).toList());
    }

    @Test
    void answersArePulsarsButForWhatIsOnPurpose() throws IOException {
        List<Difference> found = Difference.between(pulsars, ours);
        DeliberateDifferences onPurpose = DeliberateDifferences.read(resource("/pulsar-differences.txt"));
        assertThat(lines(onPurpose.notOnPurpose(found)))
                .as("differences that have no reason")
                .isEmpty();
        assertThat(lines(onPurpose.gone(found)))
                .as("reasons for what does not differ")
                .isEmpty();
    }

    private static String lines(List<?> items) {
        return items.stream().map(Object::toString).collect(Collectors.joining("\n"));
    }

    /**
     * Routes of Pulsar 5, asked in {@code ScalableTopicTest}, and of Sluice's own durability: Pulsar 4 has no answer to compare. And those
     * of transactions, which Pulsar's own admin client asks in {@code TransactionAdminTest}: the scenario has none.
     */
    private static final Pattern ASKED_ELSEWHERE =
            Pattern.compile("^/admin/v2/scalable/|/durability$|^/admin/v3/transactions/");

    @Test
    void everyRouteIsAskedForSomethingThatIsThere() {
        List<String> unasked = router.getRoutes().stream()
                .filter(r -> r.methods() != null && r.getPath() != null)
                .filter(r -> !ASKED_ELSEWHERE.matcher(r.getPath()).find())
                .filter(r -> ours.stream().noneMatch(answered(r)))
                .map(r -> r.methods() + " " + r.getPath())
                .toList();
        assertThat(unasked).isEmpty();
    }

    private static Predicate<Answer> answered(Route route) {
        Pattern path = Pattern.compile(route.getPath().replaceAll(":[a-z]+", "[^/]+"));
        return a -> {
            String[] methodAndPath = a.request().split(" ", 2);
            return a.status() < 300
                    && route.methods().stream().anyMatch(m -> m.name().equals(methodAndPath[0]))
                    && path.matcher(methodAndPath[1].replaceFirst("\\?.*", "")).matches();
        };
    }
}
