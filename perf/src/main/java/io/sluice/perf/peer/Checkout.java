package io.sluice.perf.peer;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** The project's own folder: this code runs from a build within it. */
public record Checkout(Path home) {
    /** Looks upwards from where this class was loaded. */
    public static Checkout find() throws PeerException {
        CodeSource source = Checkout.class.getProtectionDomain().getCodeSource();
        try {
            for (Path folder = Path.of(source.getLocation().toURI()); folder != null; folder = folder.getParent()) {
                if (Files.isExecutable(folder.resolve("sluice")) && Files.isExecutable(folder.resolve("mvnw"))) {
                    return new Checkout(folder);
                }
            }
        } catch (URISyntaxException e) {
            throw new PeerException("cannot tell where this program is: " + e.getMessage(), e);
        }
        throw new PeerException("comparing needs the project's folder with ./sluice and ./mvnw; run it from there");
    }

    Path launcher() {
        return home.resolve("sluice");
    }

    Path maven() {
        return home.resolve("mvnw");
    }

    /** Where built and fetched things go, and where servers keep their data unless told otherwise. */
    public Path work() {
        return home.resolve("perf").resolve("target");
    }
}
