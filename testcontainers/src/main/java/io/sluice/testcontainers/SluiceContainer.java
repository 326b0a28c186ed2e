package io.sluice.testcontainers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A Sluice server in a container, ready for clients of both protocols when it is started.
 *
 * <p>Clients are told an address to go on at, so the server must know its published ports, which the engine chooses when the
 * container starts. The shell in it therefore waits for them at a named pipe before it becomes the server.
 */
public final class SluiceContainer extends GenericContainer<SluiceContainer> {
    public static final int KAFKA_PORT = 9092;
    public static final int PULSAR_PORT = 6650;
    public static final int HTTP_PORT = 8080;

    private static final DockerImageName IMAGE = DockerImageName.parse("sluice");
    private static final String DEFAULT_MEMORY = "512m";

    /** In memory, and writable where the container's root is not. The first that comes makes it. */
    private static final String PIPE = "mkfifo /dev/shm/addresses 2>/dev/null; ";

    private static final String START =
            PIPE + "read -r addresses </dev/shm/addresses; exec /opt/sluice/bin/sluice standalone \"$@\" $addresses";
    /** Makes an authority and a certificate for the published host first. In memory, too: what is secret is on no disk. */
    private static final String SECURE = "/dev/shm/secure";

    private static final String SECURED_START = PIPE + "read -r host addresses </dev/shm/addresses; "
            + "/opt/sluice/bin/sluice security init --out " + SECURE + " --hosts \"$host\" >/dev/null && "
            + "exec /opt/sluice/bin/sluice standalone --config " + SECURE + "/sluice.yaml \"$@\" $addresses "
            + "--set kafka.host=0.0.0.0 --set pulsar.host=0.0.0.0 --set http.host=0.0.0.0";
    private static final String SEND = PIPE + "echo \"$0\" >/dev/shm/addresses";

    private final List<String> settings = new ArrayList<>();
    private boolean secured;

    /** The image that {@code docker load} made {@code sluice:latest}. */
    public SluiceContainer() {
        this(IMAGE);
    }

    public SluiceContainer(String image) {
        this(DockerImageName.parse(image).asCompatibleSubstituteFor(IMAGE));
    }

    public SluiceContainer(DockerImageName image) {
        super(image);
        image.assertCompatibleWith(IMAGE);
        withExposedPorts(KAFKA_PORT, PULSAR_PORT, HTTP_PORT);
        withEnv("SLUICE_MEMORY", DEFAULT_MEMORY);
        withCreateContainerCmdModifier(
                create -> create.withEntrypoint("sh", "-c", secured ? SECURED_START : START, "sluice"));
        waitingFor(Wait.forHttp("/ready").forPort(HTTP_PORT).withStartupTimeout(Duration.ofMinutes(2)));
    }

    /** A setting of the server, for example {@code withSetting("topics.autoCreate", "false")}. */
    public SluiceContainer withSetting(String key, String value) {
        settings.add("--set");
        settings.add(key + "=" + value);
        return this;
    }

    /**
     * TLS on all listeners, logins by password and token, and access rules, with a user {@code admin} who may do everything. Certificate,
     * password and tokens are made anew for each container.
     */
    public SluiceContainer withSecurity() {
        secured = true;
        waitingFor(Wait.forHttp("/ready")
                .forPort(HTTP_PORT)
                .usingTls()
                .allowInsecure()
                .withStartupTimeout(Duration.ofMinutes(2)));
        return this;
    }

    @Override
    protected void configure() {
        setCommand(settings.toArray(String[]::new));
    }

    @Override
    protected void containerIsStarting(InspectContainerResponse started) {
        String addresses = Stream.of(
                        advertised("kafka", KAFKA_PORT),
                        advertised("pulsar", PULSAR_PORT),
                        advertised("http", HTTP_PORT))
                .collect(Collectors.joining(" "));
        run(
                "the container did not take its addresses",
                "sh",
                "-c",
                SEND,
                secured ? getHost() + " " + addresses : addresses);
    }

    /** Runs a command in the container, and gives what it prints. */
    private String run(String failure, String... command) {
        try {
            ExecResult result = execInContainer(command);
            if (result.getExitCode() != 0) {
                throw new IllegalStateException(failure + ": " + result.getStderr());
            }
            return result.getStdout();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private String advertised(String listener, int port) {
        return "--set %s.advertisedHost=%s --set %s.advertisedPort=%d"
                .formatted(listener, getHost(), listener, getMappedPort(port));
    }

    /** For {@code bootstrap.servers} of Kafka clients. */
    public String getBootstrapServers() {
        return getHost() + ":" + getMappedPort(KAFKA_PORT);
    }

    /** For {@code serviceUrl} of Pulsar clients. */
    public String getPulsarBrokerUrl() {
        return (secured ? "pulsar+ssl://" : "pulsar://") + getHost() + ":" + getMappedPort(PULSAR_PORT);
    }

    /** Health, metrics and Pulsar's admin interface. */
    public String getHttpServiceUrl() {
        return (secured ? "https://" : "http://") + getHost() + ":" + getMappedPort(HTTP_PORT);
    }

    /** Settings of a Kafka client: where it connects and, {@link #withSecurity() with security}, how it logs in as {@code admin}. */
    public Map<String, String> getKafkaSettings() {
        Map<String, String> client = new HashMap<>();
        if (secured) {
            Properties written = new Properties();
            try {
                written.load(new StringReader(secret("client.properties")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            written.stringPropertyNames().forEach(name -> client.put(name, written.getProperty(name)));
            client.remove("ssl.truststore.location");
            client.put("ssl.truststore.certificates", getCertificateAuthority());
        }
        client.put("bootstrap.servers", getBootstrapServers());
        return client;
    }

    /** Token of {@code admin}, for clients of Pulsar and HTTP. Only {@link #withSecurity() with security}. */
    public String getToken() {
        return secret("token").trim();
    }

    /** Certificate, PEM, of the authority that clients have to trust. Only {@link #withSecurity() with security}. */
    public String getCertificateAuthority() {
        return secret("ca.pem");
    }

    private String secret(String file) {
        if (!secured) {
            throw new IllegalStateException("there is no " + file + " without withSecurity()");
        }
        return run("cannot read " + file, "sh", "-c", "cat \"$0\"", SECURE + "/" + file);
    }
}
