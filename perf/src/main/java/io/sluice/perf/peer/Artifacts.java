package io.sluice.perf.peer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The jars of a peer, or of a client: what Maven makes of a small pom of ours. They are kept in a folder named after the pom's content, so a
 * changed pom is fetched anew and an interrupted download never passes for a whole one.
 */
public final class Artifacts {
    private static final int FINGERPRINT_CHARS = 12;
    /** A few hundred megabytes over a slow line. */
    private static final Duration FETCHED_WITHIN = Duration.ofMinutes(30);

    private final String name;
    private final Checkout checkout;
    private final Path cache;

    /** Artifacts of the resource {@code name.xml}. */
    public Artifacts(String name, Checkout checkout) {
        this.name = name;
        this.checkout = checkout;
        this.cache = checkout.work().resolve("peers");
    }

    /** Downloads them if they are not there. */
    public void fetch() throws PeerException, InterruptedException {
        if (Files.isDirectory(folder())) {
            return;
        }
        try {
            Path partial = Files.createDirectories(cache.resolve(name + ".partial"));
            PeerFolder.delete(partial);
            Files.createDirectories(partial);
            Files.write(partial.resolve("pom.xml"), resource(name + ".xml"));
            runMaven(partial);
            Files.write(partial.resolve("log4j2.xml"), resource("log4j2.xml"));
            Files.write(partial.resolve("logback.xml"), resource("logback.xml"));
            Files.move(partial, folder(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new PeerException("cannot fetch " + name + " into " + cache + ": " + e.getMessage(), e);
        }
    }

    private void runMaven(Path partial) throws PeerException, InterruptedException {
        List<String> command = List.of(
                checkout.maven().toString(),
                "-q",
                "-B",
                "-f",
                partial.resolve("pom.xml").toString(),
                "dependency:copy-dependencies",
                "-DincludeScope=runtime",
                "-DoutputDirectory=" + partial.resolve("lib"));
        Path log = cache.resolve(name + ".log");
        try (var maven = ServerChild.start("fetching " + name, command, Map.of(), checkout.home(), log)) {
            maven.awaitSuccess(FETCHED_WITHIN);
        }
    }

    /** All jars, for a JVM's {@code -cp}. */
    String classPath() throws PeerException {
        return folder().resolve("lib").resolve("*").toString();
    }

    /** All jars, in order of their names. */
    public List<Path> jars() throws PeerException {
        try (Stream<Path> jars = Files.list(folder().resolve("lib"))) {
            return jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new PeerException("cannot read " + cache + ": " + e.getMessage(), e);
        }
    }

    /** A file beside the jars. */
    Path file(String file) throws PeerException {
        return folder().resolve(file);
    }

    /** Version in the name of the jar {@code artifact-VERSION.jar}. */
    String version(String artifact) throws PeerException {
        try (Stream<Path> jars = Files.list(folder().resolve("lib"))) {
            return jars.map(jar -> jar.getFileName().toString())
                    .filter(jar -> jar.startsWith(artifact + "-") && jar.endsWith(".jar"))
                    .map(jar -> jar.substring(artifact.length() + 1, jar.length() - ".jar".length()))
                    .findFirst()
                    .orElseThrow(() -> new PeerException(artifact + " is missing from " + cache));
        } catch (IOException e) {
            throw new PeerException("cannot read " + cache + ": " + e.getMessage(), e);
        }
    }

    private Path folder() throws PeerException {
        return cache.resolve(name + "-" + fingerprint());
    }

    private String fingerprint() throws PeerException {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(resource(name + ".xml"));
            return HexFormat.of().formatHex(digest).substring(0, FINGERPRINT_CHARS);
        } catch (NoSuchAlgorithmException | IOException e) {
            throw new PeerException("cannot read the pom of " + name + ": " + e.getMessage(), e);
        }
    }

    static byte[] resource(String file) throws IOException {
        try (InputStream in = Artifacts.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException(file + " is missing from the build");
            }
            return in.readAllBytes();
        }
    }
}
