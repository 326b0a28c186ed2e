package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.ReservedPorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * A server started as users start it: {@code ./sluice standalone}, or {@code ./sluice server}, in a process of its own. It has free ports; restarts keep
 * them, as clients expect.
 */
final class SluiceServer implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** Nodes in place of a standalone server: {@code -Dcluster=3} has the tests run against a cluster, of which they mostly know the first node. */
    private static final int CLUSTER = Integer.getInteger("cluster", 1);

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern KAFKA = Pattern.compile("^\\s*Kafka\\s+(\\S+):(\\d+)");
    private static final Pattern PULSAR = Pattern.compile("^\\s*Pulsar\\s+pulsar(?:\\+ssl)?://(\\S+):(\\d+)");
    private static final Pattern HTTP = Pattern.compile("^\\s*HTTP\\s+https?://(\\S+):(\\d+)");
    private static final Pattern CONTAINER = Pattern.compile("\"container\":");
    /** Of the banner: what is printed before it has been read when this is. */
    private static final String LAST_LINE = "Stop with Ctrl-C.";

    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<String> program;
    private final Path folder;
    private final String extraSettings;
    private final Map<String, String> environment;
    private final List<String> tracer;
    private final String host;
    private @Nullable Process process;
    private @Nullable CompanionNodes companions;
    private CompletableFuture<Void> ready = new CompletableFuture<>();
    private Ports ports = new Ports(ReservedPorts.next(), ReservedPorts.next(), ReservedPorts.next());
    private final ConcurrentLinkedQueue<String> output = new ConcurrentLinkedQueue<>();

    /** Ports as bound. */
    record Ports(int kafka, int pulsar, int http) {}

    private SluiceServer(
            List<String> program,
            Path folder,
            String extraSettings,
            Map<String, String> environment,
            List<String> tracer,
            String host) {
        this.program = program;
        this.folder = folder;
        this.extraSettings = extraSettings;
        this.environment = new HashMap<>(environment);
        this.tracer = tracer;
        this.host = host;
    }

    /** Starts on an empty or existing folder and returns when the server says it is ready. */
    static SluiceServer start(Path folder) {
        return start(folder, "", Map.of());
    }

    /** @param extraSettings YAML beside the listeners, for example {@code "topics: {autoCreate: false}"} */
    static SluiceServer start(Path folder, String extraSettings, Map<String, String> environment) {
        return start(folder, extraSettings, environment, List.of());
    }

    /** @param tracer a command that runs the launcher, whose words follow it, in its own process */
    static SluiceServer start(Path folder, String extraSettings, Map<String, String> environment, List<String> tracer) {
        SluiceServer server = started(folder, extraSettings, environment, tracer);
        if (server.companions != null) {
            server.awaitShared();
        }
        return server;
    }

    /**
     * The same where only those who log in may ask the server.
     *
     * @param authority of the server's certificate, PEM, by which the nodes of a cluster trust each other
     */
    static SluiceServer startSecured(Path folder, String settings, Path authority) {
        String trusting = CLUSTER > 1
                ? NodeSettings.merged(settings, "http: {authorities: '%s'}".formatted(authority))
                : settings;
        return started(folder, trusting, Map.of(), List.of());
    }

    private static SluiceServer started(
            Path folder, String extraSettings, Map<String, String> environment, List<String> tracer) {
        SluiceServer server;
        if (CLUSTER > 1) {
            CompanionNodes companions = CompanionNodes.start(folder, extraSettings, environment, CLUSTER);
            server = new SluiceServer(List.of("server"), folder, companions.settings(1), environment, tracer, LOOPBACK);
            server.companions = companions;
        } else {
            server = new SluiceServer(List.of("standalone"), folder, extraSettings, environment, tracer, LOOPBACK);
        }
        server.start();
        return server;
    }

    /** Containers go to a node when it is there: until that is done, what a test looks at may move. */
    private void awaitShared() {
        await("nodes share the containers").atMost(START).untilAsserted(() -> {
            var serving = metrics("sluice_containers_serving").summaryStatistics();
            assertThat(serving.getMax() - serving.getMin()).isLessThanOrEqualTo(1);
            assertThat(serving.getSum())
                    .isEqualTo(CONTAINER
                            .matcher(get("/sluice/containers"))
                            .results()
                            .count());
        });
    }

    /** A node over stores that are elsewhere; not started. */
    static SluiceServer node(Path folder, String settings) {
        return node(folder, settings, LOOPBACK, List.of());
    }

    /**
     * The same at another address.
     *
     * @param host address to listen on, which clients are told
     * @param tracer a command that runs the launcher, whose words follow it, in its own process
     */
    static SluiceServer node(Path folder, String settings, String host, List<String> tracer) {
        return new SluiceServer(List.of("server"), folder, settings, Map.of(), tracer, host);
    }

    /** The same at the usual address, with variables of its environment. */
    static SluiceServer node(Path folder, String settings, Map<String, String> environment) {
        return new SluiceServer(List.of("server"), folder, settings, environment, List.of(), LOOPBACK);
    }

    /** The same with a bookie in its process; not started. */
    static SluiceServer nodeWithBookie(Path folder, String settings) {
        return new SluiceServer(List.of("server", "--with-bookie"), folder, settings, Map.of(), List.of(), LOOPBACK);
    }

    /** Output of a command that asks no folder of a server, or tells by its words which. */
    static String command(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(ROOT.resolve("sluice").toString()));
        command.addAll(List.of(words));
        return ClientProgram.run(ROOT, 60, command);
    }

    /** Starts again after {@link #kill} or {@link #stop}, on the same folder and ports. */
    void start() {
        begin();
        awaitReady();
    }

    /** Starts and does not wait. */
    void begin() {
        try {
            Files.createDirectories(folder);
            Process begun = launchProgram("");
            process = begun;
            var started = new CompletableFuture<Void>();
            ready = started;
            Thread.ofPlatform().daemon().name("server").start(() -> follow(begun, started));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the server that was started says that it is ready. */
    void awaitReady() {
        try {
            ready.get(START.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
            kill();
            throw new IllegalStateException("the server did not get ready:\n" + output(), e);
        }
    }

    /** Written anew, with the ports as they are by now. */
    private Path config() throws IOException {
        return Files.writeString(
                folder.resolveSibling(folder.getFileName() + ".yaml"),
                NodeSettings.listening(extraSettings, host, ports));
    }

    /** Starts again and does not wait: the process is expected to end by itself, perhaps before it is ready. */
    void startToItsEnd(String jvmOptions) throws IOException {
        Process begun = launchProgram(jvmOptions);
        process = begun;
        Thread.ofPlatform().daemon().name("server").start(() -> follow(begun, new CompletableFuture<>()));
    }

    /** The exit code, or empty if the process still runs after that time. */
    OptionalInt awaitEnd(Duration atMost) throws InterruptedException {
        return running().waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)
                ? OptionalInt.of(running().exitValue())
                : OptionalInt.empty();
    }

    /** What another command of the launcher did on this server's store. */
    record Outcome(int exitCode, String output) {}

    Outcome run(String command, String... options) throws IOException, InterruptedException {
        return outcome(List.of(command, "--data", folder.toString()), options);
    }

    /** Compares the store of the server, or of the cluster that it is a node of, with its tier. */
    Outcome auditTier(String... options) throws IOException, InterruptedException {
        return companions == null ? run("audit-tier", options) : outcome(List.of("cluster", "audit-tier"), options);
    }

    private Outcome outcome(List<String> command, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of("--config", config().toString()));
        arguments.addAll(List.of(options));
        Process p = launch("", arguments.toArray(String[]::new));
        String printed = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(p.waitFor(), printed);
    }

    private Process launchProgram(String jvmOptions) throws IOException {
        List<String> words = new ArrayList<>(program);
        words.addAll(List.of("--data", folder.toString(), "--config", config().toString()));
        return launch(jvmOptions, words.toArray(String[]::new));
    }

    private Process launch(String jvmOptions, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(tracer);
        command.add(ROOT.resolve("sluice").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .put(
                        "SLUICE_JVM_OPTS",
                        "-Dio.netty.leakDetection.level=advanced " + BriefJvm.OPTIONS + " " + jvmOptions);
        environment.forEach(
                (name, value) -> builder.environment().merge(name, value, (ours, more) -> more + " " + ours));
        return builder.start();
    }

    private void follow(Process of, CompletableFuture<Void> begun) {
        int kafka = 0;
        int pulsar = 0;
        int http = 0;
        try (BufferedReader lines = of.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.add(line);
                kafka = port(KAFKA, line, kafka);
                pulsar = port(PULSAR, line, pulsar);
                http = port(HTTP, line, http);
                if (line.equals(LAST_LINE) && kafka > 0 && pulsar > 0 && http > 0) {
                    ports = new Ports(kafka, pulsar, http);
                    begun.complete(null);
                }
            }
            begun.completeExceptionally(new IOException("the server ended"));
        } catch (IOException e) {
            begun.completeExceptionally(e);
        }
    }

    private static int port(Pattern pattern, String line, int otherwise) {
        Matcher matcher = pattern.matcher(line);
        return matcher.find() ? Integer.parseInt(matcher.group(2)) : otherwise;
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException("not started");
        }
        return process;
    }

    /** {@code kill -9}: nothing is flushed, nothing is closed. */
    void kill() {
        Process p = running();
        p.destroyForcibly();
        p.onExit().join();
    }

    /** For the starts from now on; options of the JVM are in {@code SLUICE_JVM_OPTS}. */
    void setEnvironment(Map<String, String> variables) {
        environment.clear();
        environment.putAll(variables);
    }

    /** SIGSTOP: it does nothing, and keeps all that it has. */
    void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** SIGCONT, after {@link #pause}. */
    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " ended with " + code);
        }
    }

    /**
     * SIGTERM.
     *
     * @return how long the server took to end
     */
    Duration stop() {
        long start = System.nanoTime();
        Process p = running();
        p.destroy();
        p.onExit().orTimeout(60, TimeUnit.SECONDS).join();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** As {@link #stop}, all nodes of a cluster, one after the other. */
    void stopAll() {
        nodes().forEach(SluiceServer::stop);
    }

    /** As {@link #start()}, after {@link #stopAll}. */
    void startAll() {
        nodes().forEach(SluiceServer::begin);
        nodes().forEach(SluiceServer::awaitReady);
        if (companions != null) {
            awaitShared();
        }
    }

    /** Long-term storage goes away: the folder of a standalone server without settings of a tier, the S3 server of a cluster. */
    void loseTier() throws IOException {
        if (companions == null) {
            Files.move(tierFolder(), tierAway());
            Files.writeString(tierFolder(), "not a folder");
        } else {
            companions.killTier();
        }
    }

    /** Long-term storage is back, with all that it had. */
    void returnTier() throws IOException {
        if (companions == null) {
            Files.delete(tierFolder());
            Files.move(tierAway(), tierFolder());
        } else {
            companions.startTier();
        }
    }

    /** Its objects are files somewhere in it. */
    Path tierFolder() {
        return companions == null ? folder.resolve("tier") : companions.tierFolder();
    }

    private Path tierAway() {
        return folder.resolve("tier-away");
    }

    int exitCode() {
        return running().exitValue();
    }

    long pid() {
        return running().pid();
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Resident memory in bytes. */
    long residentBytes() {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String kafka() {
        String own = host + ":" + ports.kafka;
        return companions == null ? own : own + "," + kafka(companions.nodes());
    }

    String pulsar() {
        String own = "pulsar://" + host + ":" + ports.pulsar;
        return companions == null ? own : own + pulsar(companions.nodes()).replace("pulsar://", ",");
    }

    /** All nodes, this one first; a standalone server is alone. */
    List<SluiceServer> nodes() {
        List<SluiceServer> nodes = new ArrayList<>(List.of(this));
        if (companions != null) {
            nodes.addAll(companions.nodes());
        }
        return nodes;
    }

    /** Addresses of all, for a client to begin with. */
    static String kafka(List<SluiceServer> nodes) {
        return nodes.stream().map(SluiceServer::kafka).collect(Collectors.joining(","));
    }

    /** A URL with the addresses of all. */
    static String pulsar(List<SluiceServer> nodes) {
        return nodes.stream()
                .map(node -> node.pulsar().replace("pulsar://", ""))
                .collect(Collectors.joining(",", "pulsar://", ""));
    }

    String http() {
        return "http://" + host + ":" + ports.http;
    }

    Ports ports() {
        return ports;
    }

    Path folder() {
        return folder;
    }

    /** Everything printed so far, standard output and error. */
    String output() {
        return output.stream().collect(Collectors.joining("\n"));
    }

    /** Status and body. */
    String get(String page) throws IOException, InterruptedException {
        try (HttpClient client = httpClient()) {
            var request = HttpRequest.newBuilder(URI.create(http() + page)).build();
            var answer = client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
            return answer.statusCode() + " " + answer.body().strip();
        }
    }

    /** What the server answered. */
    record Answer(int status, String body) {}

    /** @param method of HTTP, with an empty body where {@code body} is */
    Answer ask(String method, String page, String body) throws IOException, InterruptedException {
        try (HttpClient client = httpClient()) {
            var request = HttpRequest.newBuilder(URI.create(http() + page))
                    .method(method, HttpRequest.BodyPublishers.ofString(body))
                    .header("content-type", "application/json")
                    .timeout(PATIENCE)
                    .build();
            var answer = client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
            return new Answer(answer.statusCode(), answer.body().strip());
        }
    }

    /** As those of people and of admin clients, it goes to the node that answers. */
    private static HttpClient httpClient() {
        return HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
    }

    /** As {@link #metric}, the sum of all nodes. */
    double total(String name) throws IOException, InterruptedException {
        return metrics(name).sum();
    }

    /** As {@link #metric}, of each node. */
    DoubleStream metrics(String name) throws IOException, InterruptedException {
        DoubleStream.Builder all = DoubleStream.builder();
        for (SluiceServer node : nodes()) {
            all.add(node.metric(name));
        }
        return all.build();
    }

    /** The log of this node. */
    String log() throws IOException {
        return Files.readString(folder.resolve("logs/sluice.log"));
    }

    /** Sum of all figures of the server's metrics that begin so; gauges of containers that it does not serve now are not there. */
    double metric(String name) throws IOException, InterruptedException {
        try (HttpClient client = httpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(http() + "/metrics")).build();
            return client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8))
                    .body()
                    .lines()
                    .filter(line -> line.startsWith(name))
                    .mapToDouble(line -> {
                        String value = line.substring(line.lastIndexOf(' ') + 1);
                        return value.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(value);
                    })
                    .sum();
        }
    }

    /** Ends the server and fails if it has lost track of a buffer. */
    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
        if (companions != null) {
            companions.close();
        }
        Path log = folder.resolve("logs/sluice.log");
        try {
            if (Files.exists(log) && Files.readString(log).contains("LEAK:")) {
                throw new AssertionError("the server leaked a buffer, see " + Files.readString(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
