package io.sluice.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An etcd of one member, as its own process on free ports of the loopback. */
public final class TestEtcd implements TestStore {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path folder;
    private final int port = freePort();
    private final int peers = freePort();
    private Process process;

    /** The program must be installed in CI; elsewhere the test is skipped without it. */
    public TestEtcd(Path folder) throws Exception {
        boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "etcd")));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as("etcd must be installed in CI").isTrue();
        }
        assumeThat(found).as("etcd is not installed, this test is skipped").isTrue();
        this.folder = folder;
        start();
    }

    @Override
    public void start() throws Exception {
        String clients = "http://127.0.0.1:" + port;
        String members = "http://127.0.0.1:" + peers;
        process = new ProcessBuilder(List.of(
                        "etcd",
                        "--data-dir=" + folder.resolve("data"),
                        "--listen-client-urls=" + clients,
                        "--advertise-client-urls=" + clients,
                        "--listen-peer-urls=" + members,
                        "--initial-advertise-peer-urls=" + members,
                        "--initial-cluster=default=" + members,
                        "--log-level=error"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("etcd.log").toFile())
                .start();
        await().atMost(PATIENCE).until(this::answers);
    }

    private boolean answers() {
        assertThat(process.isAlive())
                .as(() -> "etcd runs; see " + folder.resolve("etcd.log"))
                .isTrue();
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void stop() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String url(int atPort) {
        return "etcd:http://127.0.0.1:" + atPort;
    }
}
