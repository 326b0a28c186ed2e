package io.sluice.server.wiring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.Tokens;
import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.testing.fuzz.ForgedTokens;
import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import io.vertx.ext.web.Route;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to an HTTP listener with authentication. */
class HttpLoginTest {
    private static final List<String> CLOSED = List.of(
            "/metrics",
            "/sluice/containers",
            "/sluice/balance",
            "/sluice/trace?seconds=x",
            "/sluice/topics/describe?topic=t",
            "/admin/v2/clusters",
            "/admin/v2/brokers/health",
            "/lookup/v2/topic/persistent/public/default/t",
            "/nothing-is-here");

    private static final int DAMAGED = 1_000;

    @TempDir
    private static Path folder;

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static Server server;
    private static Key key;

    @BeforeAll
    static void start() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789012345678901234567890123456789");
        Path given = Files.writeString(folder.resolve("users"), "alice:open sesame\nbob:open sesame\n");
        key = TokenKeys.secret(secret);
        server = Server.standalone(
                ConfigFile.parse("""
                        {kafka: {port: 0}, pulsar: {port: 0}, http: {port: 0, authentication: 'token, password'},
                         security: {authorization: true, superUsers: 'User:alice; User:carol; relay', proxyRoles: 'proxy; relay', tokens: {secretFile: '%s'},
                                    initialUsers: '%s'}}""".formatted(secret, given), "test"),
                folder.resolve("data"),
                new MemoryBudget(512L << 20));
    }

    @AfterAll
    static void stop() {
        server.close();
        CLIENT.close();
    }

    /** @param authorization empty for none */
    private static HttpResponse<String> get(String path, String authorization) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://" + server.listeners().http() + path));
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    }

    @Test
    void probesAskNobodyAndEverythingElseDoes() throws Exception {
        assertThat(get("/health", "").statusCode()).isEqualTo(200);
        assertThat(get("/ready", "").statusCode()).isEqualTo(200);
        for (String path : CLOSED) {
            HttpResponse<String> answer = get(path, "");
            assertThat(answer.statusCode()).as(path).isEqualTo(401);
            assertThat(answer.headers().firstValue("www-authenticate")).as(path).isPresent();
            assertThat(answer.body()).as(path).doesNotContain("alice").doesNotContain("Exception");
        }
    }

    private static final Set<String> OPEN = Set.of("GET /health", "GET /ready");
    /** They show each what it may see. */
    private static final Set<String> FOR_ALL_USERS = Set.of("GET /metrics", "GET /sluice/balance");

    private static HttpResponse<String> ask(String route, String parameters, String authorization) throws Exception {
        String[] words = route.split(" ");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://" + server.listeners().http() + words[1].replaceAll(":[a-z]+", "1") + parameters))
                .method(words[0], HttpRequest.BodyPublishers.noBody());
        if (!authorization.isEmpty()) {
            request.header("Authorization", authorization);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Routes without a prefix of Pulsar's, which are walked in its gateway's tests; the schema registry's are in both walks. */
    private static Set<String> ownRoutes() {
        Set<String> own = new TreeSet<>();
        for (Route route : server.routes()) {
            String path = route.getPath();
            if (route.methods() != null && !path.startsWith("/admin/") && !path.startsWith("/lookup/")) {
                route.methods().forEach(method -> own.add(method.name() + " " + path));
            }
        }
        return own;
    }

    @Test
    void everyRouteRefusesNobodyAndAUserWithoutRightsAndIsInThePage() throws Exception {
        ask("PUT /admin/v2/persistent/public/default/there", "", basic("alice:open sesame"));
        String page = Files.readString(Path.of("..", "..", "docs", "security.md"));
        assertThat(ownRoutes()).hasSizeGreaterThan(8).allSatisfy(route -> {
            assertThat(page).contains("`" + route + "`");
            assertThat(ask(route, "?topic=there", "").statusCode()).isEqualTo(OPEN.contains(route) ? 200 : 401);
            HttpResponse<String> bobs = ask(route, "?topic=there", basic("bob:open sesame"));
            boolean forBob = OPEN.contains(route) || FOR_ALL_USERS.contains(route);
            assertThat(bobs.statusCode()).isEqualTo(forBob ? 200 : 403);
            if (!forBob) {
                assertThat(bobs.body())
                        .isEqualTo(ask(route, "?topic=other", basic("bob:open sesame"))
                                .body());
            }
            String whose = route.endsWith("/trace") ? "?seconds=x" : "?topic=there"; // else it takes long
            assertThat(ask(route, whose, basic("alice:open sesame")).statusCode())
                    .isNotIn(401, 403, 500);
        });
        assertThat(ask("GET /sluice/balance", "", basic("bob:open sesame")).body())
                .doesNotContain("there");
    }

    @Test
    void aTokenOrAPasswordLetsIn() throws Exception {
        String token = Tokens.sign(key, "carol", Set.of(), Instant.now().plusSeconds(600));
        for (String who : List.of("Bearer " + token, "bearer " + token, basic("alice:open sesame"))) {
            assertThat(get("/metrics", who).statusCode()).isEqualTo(200);
            assertThat(get("/sluice/containers", who).statusCode()).isEqualTo(200);
            assertThat(get("/admin/v2/clusters", who).statusCode()).isEqualTo(200);
        }
    }

    private static int statusOf(String user, String original) throws Exception {
        String token = Tokens.sign(key, user, Set.of(), null);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://" + server.listeners().http() + "/admin/v2/clusters"))
                .header("Authorization", "Bearer " + token);
        if (!original.isEmpty()) {
            request.header("X-Original-Principal", original);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void aProxyAsksForTheClientThatItNames() throws Exception {
        assertThat(statusOf("relay", "carol")).isEqualTo(200);
        assertThat(statusOf("relay", "bob")).as("who may not").isEqualTo(403);
        assertThat(statusOf("proxy", "carol")).as("a proxy that may not").isEqualTo(403);
        assertThat(statusOf("relay", "")).as("a proxy for itself").isEqualTo(401);
        assertThat(statusOf("relay", "relay")).isEqualTo(401);
        assertThat(statusOf("relay", "proxy")).isEqualTo(401);
        assertThat(statusOf("carol", "alice")).as("no proxy").isEqualTo(401);
        assertThat(statusOf("bob", "carol")).as("no proxy").isEqualTo(401);
        assertThat(statusOf("carol", "carol")).as("itself").isEqualTo(200);
    }

    /** What a command prints, on its screen or as an error. */
    private static String command(String... words) {
        StringWriter text = new StringWriter();
        PrintWriter screen = new PrintWriter(text);
        Main.commandLine().setOut(screen).setErr(screen).execute(words);
        return text.toString();
    }

    @Test
    void commandsShowATokenOrAPassword() throws Exception {
        String url = "http://" + server.listeners().http();
        String token = Tokens.sign(key, "carol", Set.of(), Instant.now().plusSeconds(600));
        for (String shown : List.of(token + "\n", "alice:open sesame\n")) {
            Path file = Files.writeString(folder.resolve("shown"), shown);
            assertThat(command("containers", "--http-url", url, "--http-credentials", file.toString()))
                    .contains("served");
        }
        Path wrong = Files.writeString(folder.resolve("shown"), "alice:sesame");
        assertThat(command("containers", "--http-url", url, "--http-credentials", wrong.toString()))
                .startsWith("sluice: ")
                .doesNotContain("sesame");
        assertThat(command("containers", "--http-url", url)).contains("authentication is required");
        assertThat(command("containers", "--http-url", url, "--http-credentials", "/no-such-file"))
                .contains("cannot read");
    }

    @Test
    void aRequestsBodyComesToItsRoute() throws Exception {
        String partitions = "/admin/v2/persistent/public/default/of-alice/partitions";
        HttpRequest put = HttpRequest.newBuilder(
                        URI.create("http://" + server.listeners().http() + partitions))
                .header("Authorization", basic("alice:open sesame"))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString("3"))
                .build();
        assertThat(CLIENT.send(put, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(204);
        assertThat(get(partitions, basic("alice:open sesame")).body()).contains("\"partitions\":3");
    }

    @Test
    void whatProvesNothingIsRefused() throws Exception {
        String expired = Tokens.sign(key, "carol", Set.of(), Instant.now().minusSeconds(5));
        for (String who : List.of(
                basic("alice:wrong"),
                basic("mallory:open sesame"),
                basic("alice"),
                "Basic ***",
                "Bearer " + expired,
                "Bearer x",
                "Digest x")) {
            HttpResponse<String> answer = get("/metrics", who);
            assertThat(answer.statusCode()).as(who).isEqualTo(401);
            assertThat(answer.body()).doesNotContain("Exception").doesNotContain("sesame");
        }
    }

    /** Many at once, for whoever is refused hears of it after half a second. */
    @Test
    void damagedHeadersLetNobodyIn() throws Exception {
        String right = Tokens.sign(key, "alice", Set.of(), Instant.now().plusSeconds(600));
        long seed = Long.getLong("sluice.fuzz.seed", 1);
        List<Future<String>> answers = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < DAMAGED; i++) {
                var random = new Random(seed * DAMAGED + i);
                byte[] request = damaged(right, random);
                answers.add(clients.submit(() -> statusOf(request)));
            }
            assertThat(get("/metrics", "Bearer " + right).statusCode()).isEqualTo(200);
            for (int i = 0; i < DAMAGED; i++) {
                // too long a line, and what is no HTTP, have answers of their own
                assertThat(answers.get(i).get(60, TimeUnit.SECONDS))
                        .as("seed %d, request %d", seed, i)
                        .isIn("401", "400", "431", "414", "");
            }
        }
        assertThat(answers.stream().map(Future::resultNow)).contains("401", "400");
    }

    /** A request whose header is forged, and then damaged in most cases. */
    private static byte[] damaged(String token, Random random) {
        String shown = switch (random.nextInt(4)) {
            case 0 -> basic("alice:" + "x".repeat(random.nextInt(40)));
            case 1 -> basic("x".repeat(random.nextInt(3)) + ":open sesame");
            case 2 -> "Negotiate " + token;
            default -> "Bearer " + ForgedTokens.of(token, random);
        };
        var header = new FuzzBytes(shown.getBytes(UTF_8));
        header.markPiece(shown.indexOf(' ') + 1);
        if (random.nextInt(3) > 0) {
            new Mutator(random).damage(header);
        }
        return new FuzzBytes("GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: ".getBytes(UTF_8))
                .append(header)
                .append(new FuzzBytes("\r\n\r\n".getBytes(UTF_8)))
                .toArray();
    }

    /** Status of the first answer; empty if the server closes without one. */
    private static String statusOf(byte[] request) throws IOException {
        URI at = URI.create("http://" + server.listeners().http());
        try (Socket socket = new Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request);
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
            return line == null ? "" : line.split(" ")[1];
        } catch (SocketException e) {
            return ""; // reset before all was read
        }
    }
}
