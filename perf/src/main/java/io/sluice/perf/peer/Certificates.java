package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A certificate that all servers show, so that each pays for the same keys. {@code ./sluice security init} makes it.
 *
 * @param authorities of those that sign, PEM
 * @param certificate of the server, PEM
 * @param key of the certificate, PEM
 * @param both certificate and key in one file
 */
public record Certificates(Path authorities, Path certificate, Path key, Path both) {
    /** The launcher may have to build first. */
    private static final Duration MADE_WITHIN = Duration.ofMinutes(10);

    /**
     * Makes new ones in place of earlier ones.
     *
     * @param logs folder for the output of the command
     */
    public static Certificates make(Checkout checkout, Path logs) throws PeerException, InterruptedException {
        Path folder = checkout.work().resolve("certificates");
        List<String> command = List.of(checkout.launcher().toString(), "security", "init", "--out", folder.toString());
        try {
            PeerFolder.delete(folder);
            try (var made = ServerChild.start(
                    "certificates", command, Map.of(), checkout.home(), logs.resolve("certificates.log"))) {
                made.awaitSuccess(MADE_WITHIN);
            }
            Path certificate = folder.resolve("server.pem");
            Path key = folder.resolve("server-key.pem");
            Path both = Files.writeString(
                    folder.resolve("both.pem"), Files.readString(key) + Files.readString(certificate));
            return new Certificates(folder.resolve("ca.pem"), certificate, key, both);
        } catch (IOException e) {
            throw new PeerException("cannot write certificates to " + folder + ": " + e.getMessage(), e);
        }
    }
}
