package io.sluice.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.server.wiring.StartException;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A password from a file, from somebody at a terminal who types it twice, or from standard input. Never from an argument. */
final class PasswordInput {
    private static final int MOST_BYTES = 4 << 10;

    private PasswordInput() {}

    /**
     * Returns the only line.
     *
     * @param file null to ask, or to read standard input
     * @throws StartException there is none, more than a line, or two that differ
     */
    static String read(@Nullable Path file, String user) throws StartException {
        Console console = System.console();
        if (file == null && console != null && console.isTerminal()) {
            return typed(console, user);
        }
        try (InputStream in = file == null ? System.in : Files.newInputStream(file)) {
            return checked(new String(in.readNBytes(MOST_BYTES), UTF_8).replaceFirst("\\r?\\n$", ""));
        } catch (IOException e) {
            throw new StartException("cannot read the password: " + e);
        }
    }

    private static String typed(Console console, String user) throws StartException {
        char[] first = console.readPassword("Password of %s: ", user);
        char[] again = console.readPassword("Again: ");
        if (first == null || !Arrays.equals(first, again)) {
            throw new StartException("the two passwords differ");
        }
        return checked(new String(first));
    }

    private static String checked(String password) throws StartException {
        if (password.isEmpty() || password.chars().anyMatch(Character::isISOControl)) {
            throw new StartException("the password has to be one line that is not empty");
        }
        return password;
    }
}
