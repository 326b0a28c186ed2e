package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Secrets in a file or in a variable of the environment ({@code env:NAME}). Messages name the place, and quote nothing of what is there. */
public final class SecretPlace {
    private static final String VARIABLE = "env:";
    private static final int MOST_BYTES = 1 << 20;

    private SecretPlace() {}

    /** @throws IOException there is no such file or variable, or it cannot be read; in one line */
    public static byte[] read(String place) throws IOException {
        if (place.startsWith(VARIABLE)) {
            return variable(place).getBytes(UTF_8);
        }
        try (InputStream in = Files.newInputStream(Path.of(place))) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException(place + " is larger than " + MOST_BYTES + " bytes");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new IOException(place + " does not exist", e);
        } catch (AccessDeniedException e) {
            throw new IOException(place + " may not be read by this user", e);
        }
    }

    /**
     * A setting's value, or that of the variable which it names.
     *
     * @throws IOException the variable is not set; in one line
     */
    public static String valueOf(String given) throws IOException {
        return given.startsWith(VARIABLE) ? variable(given) : given;
    }

    private static String variable(String place) throws IOException {
        String value = System.getenv(place.substring(VARIABLE.length()));
        if (value == null || value.isEmpty()) {
            throw new IOException(place + " is not set in the environment");
        }
        return value;
    }
}
