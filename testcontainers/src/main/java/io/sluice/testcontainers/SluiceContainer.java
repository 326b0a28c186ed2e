package io.sluice.testcontainers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    private static final String SEND = PIPE + "echo \"$0\" >/dev/shm/addresses";

    private final List<String> settings = new ArrayList<>();

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
        withCreateContainerCmdModifier(create -> create.withEntrypoint("sh", "-c", START, "sluice"));
        waitingFor(Wait.forHttp("/ready").forPort(HTTP_PORT).withStartupTimeout(Duration.ofMinutes(2)));
    }

    /** A setting of the server, for example {@code withSetting("topics.autoCreate", "false")}. */
    public SluiceContainer withSetting(String key, String value) {
        settings.add("--set");
        settings.add(key + "=" + value);
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
        try {
            ExecResult sent = execInContainer("sh", "-c", SEND, addresses);
            if (sent.getExitCode() != 0) {
                throw new IllegalStateException("the container did not take its addresses: " + sent.getStderr());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting", e);
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
        return "pulsar://" + getHost() + ":" + getMappedPort(PULSAR_PORT);
    }

    /** Health, metrics and Pulsar's admin interface. */
    public String getHttpServiceUrl() {
        return "http://" + getHost() + ":" + getMappedPort(HTTP_PORT);
    }
}
