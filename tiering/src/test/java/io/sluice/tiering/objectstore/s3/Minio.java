package io.sluice.tiering.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A real S3 server for tests: a process of its own on free ports and a folder. */
public final class Minio implements AutoCloseable {
    public static final String ACCESS_KEY = "sluice-tests";
    public static final String SECRET_KEY = "a-secret-for-tests";
    public static final String BUCKET = "sluice";

    private static final Path INSTALL = root().resolve("conformance/servers/minio");
    private static final Duration START = Duration.ofSeconds(30);

    private final Path binary;
    private final Path folder;
    private final String region;
    private final String host;
    private final int port;
    private final @Nullable Path certificates;
    private final @Nullable Path authority;
    private @Nullable Process process;

    private Minio(
            Path binary,
            Path folder,
            String region,
            String host,
            int port,
            @Nullable Path certificates,
            @Nullable Path authority) {
        this.binary = binary;
        this.folder = folder;
        this.region = region;
        this.host = host;
        this.port = port;
        this.certificates = certificates;
        this.authority = authority;
    }

    /** Modules are one or two folders deep. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("mvnw"))) {
            folder = Objects.requireNonNull(folder.getParent(), "the tests run in a checkout");
        }
        return folder;
    }

    /** Without the program: fails in CI, skips the test, saying so, on a contributor's machine. */
    public static Minio start(Path folder) throws Exception {
        return start(folder, "us-east-1");
    }

    public static Minio start(Path folder, String region) throws Exception {
        return start(folder, region, "127.0.0.1");
    }

    /** @param host address of this machine to listen on */
    public static Minio start(Path folder, String region, String host) throws Exception {
        return start(folder, region, host, null, null);
    }

    /**
     * The same with TLS.
     *
     * @param certificates folder with {@code public.crt} and {@code private.key}
     * @param authority file of the certificate's authority
     */
    public static Minio startSecured(Path folder, String host, Path certificates, Path authority) throws Exception {
        return start(folder, "us-east-1", host, certificates, authority);
    }

    private static Minio start(
            Path folder, String region, String host, @Nullable Path certificates, @Nullable Path authority)
            throws Exception {
        // A folder in its folder is a bucket to it.
        Files.createDirectories(folder.resolve(BUCKET));
        var server = new Minio(installed(), folder, region, host, freePort(host), certificates, authority);
        server.start();
        return server;
    }

    private static Path installed() throws Exception {
        Process find = new ProcessBuilder(INSTALL.toString(), "--if-installed").start();
        String path = new String(find.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        boolean found = find.waitFor() == 0;
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found)
                    .as("the S3 server must be installed in CI: run %s", INSTALL)
                    .isTrue();
        }
        assumeThat(found)
                .as("no S3 server, this test is skipped: run %s, which wants Go", INSTALL)
                .isTrue();
        return Path.of(path);
    }

    private static int freePort(String host) throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByName(host))) {
            return socket.getLocalPort();
        }
    }

    /** Starts again after {@link #kill}, on the same port and folder; returns when it answers. */
    public void start() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                binary.toString(),
                "server",
                "--quiet",
                "--address",
                host + ":" + port,
                "--console-address",
                host + ":" + freePort(host)));
        if (certificates != null) {
            command.addAll(List.of("--certs-dir", certificates.toString()));
        }
        command.add(folder.toString());
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        folder.resolveSibling(folder.getFileName() + ".log").toFile());
        builder.environment().put("MINIO_ROOT_USER", ACCESS_KEY);
        builder.environment().put("MINIO_ROOT_PASSWORD", SECRET_KEY);
        builder.environment().put("MINIO_SITE_REGION", region);
        builder.environment().put("MINIO_BROWSER", "off");
        builder.environment().put("MINIO_UPDATE", "off");
        process = builder.start();
        awaitReady(process);
    }

    private void awaitReady(Process started) {
        long deadline = System.nanoTime() + START.toNanos();
        while (!isReady()) {
            if (!started.isAlive() || System.nanoTime() > deadline) {
                started.destroyForcibly();
                throw new IllegalStateException("the S3 server did not get ready, see " + folder + ".log");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean isReady() {
        try {
            var ask = (HttpURLConnection)
                    URI.create(endpoint() + "/minio/health/ready").toURL().openConnection();
            ask.setConnectTimeout(1000);
            ask.setReadTimeout(1000);
            if (ask instanceof HttpsURLConnection secured) {
                secured.setSSLSocketFactory(trusting(Objects.requireNonNull(authority)));
            }
            try (InputStream answer = ask.getInputStream()) {
                answer.readAllBytes();
            }
            return ask.getResponseCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static SSLSocketFactory trusting(Path authority) {
        try (InputStream in = Files.newInputStream(authority)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public String endpoint() {
        return (certificates == null ? "http://" : "https://") + host + ":" + port;
    }

    /** {@code kill -9}. */
    public void kill() {
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
