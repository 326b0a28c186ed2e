package io.sluice.image;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import io.sluice.conformance.clients.Wanted;
import io.sluice.testcontainers.SluiceContainer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.testcontainers.DockerClientFactory;

/** The engine that runs the image that was built, and a volume there that outlives containers. */
final class ContainerEngine implements AutoCloseable {
    private static final Path IMAGE = Path.of("target/sluice.tar");
    private static final Path BUILT = Path.of("../server/target/dist/built");

    private final DockerClient client;
    private final String volume = "sluice-test-" + UUID.randomUUID();

    private ContainerEngine(DockerClient client) {
        this.client = client;
    }

    /** With the image loaded. */
    static ContainerEngine required() throws IOException {
        Wanted.require(isImageNew(), "the container image (./mvnw -Pimage verify)");
        Wanted.require(
                DockerClientFactory.instance().isDockerAvailable(), "a container engine (conformance/servers/engine)");
        DockerClient client = DockerClientFactory.lazyClient();
        try (InputStream image = Files.newInputStream(IMAGE)) {
            client.loadImageCmd(image).exec();
        }
        return new ContainerEngine(client);
    }

    private static boolean isImageNew() throws IOException {
        return Files.exists(IMAGE) && Files.getLastModifiedTime(IMAGE).compareTo(Files.getLastModifiedTime(BUILT)) > 0;
    }

    /** On the volume, not started. */
    SluiceContainer container() {
        return new SluiceContainer()
                .withCreateContainerCmdModifier(
                        create -> create.getHostConfig().withBinds(Bind.parse(volume + ":/data")));
    }

    /** {@code kill -9} of all that runs in it. */
    void kill(SluiceContainer container) {
        client.killContainerCmd(container.getContainerId()).exec();
    }

    /** SIGTERM; the exit code. */
    long stop(SluiceContainer container) {
        client.stopContainerCmd(container.getContainerId()).withTimeout(30).exec();
        Long code = container.getCurrentContainerInfo().getState().getExitCodeLong();
        return code == null ? -1 : code;
    }

    @Override
    public void close() {
        client.removeVolumeCmd(volume).exec();
    }
}
