package io.sluice.server.version;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Version and commit of this build. */
public final class Version implements IVersionProvider {
    /** For example {@code 0.1.0-SNAPSHOT}; the build writes it. */
    public static String number() {
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in == null) {
                throw new IllegalStateException("version.properties is missing from the build");
            }
            var properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new IllegalStateException("cannot read version.properties", e);
        }
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "sluice " + number(), "java " + Runtime.version() + " (" + System.getProperty("java.vendor") + ")"
        };
    }
}
