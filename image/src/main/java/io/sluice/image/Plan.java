package io.sluice.image;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Inputs and output of an image build.
 *
 * @param libraries folder of the server's jars
 * @param parts list of these jars (CycloneDX)
 * @param launcher folder of the launcher's parts
 * @param files folder of the image's own files
 * @param output folder for the result
 * @param time of every file and of the image itself, so that layers depend on their content only
 * @param base image to build on, as a registry names it, or {@code tar://} and a file; null builds from nothing
 * @param jmods folder of a JDK's modules for another architecture; null takes those of the running JDK
 */
record Plan(
        Path libraries,
        Path parts,
        Path launcher,
        Path files,
        Path output,
        String version,
        Instant time,
        Architecture architecture,
        @Nullable String base,
        @Nullable Path jmods) {
    Plan {
        if (architecture != Architecture.ofThisMachine() && (base == null || jmods == null)) {
            throw new IllegalArgumentException("An image for " + architecture.word() + " on this machine wants"
                    + " -Dimage.jmods, the folder jmods of a JDK for it, and -Dimage.base, an image for it");
        }
    }

    static Plan ofProperties() {
        String architecture = property("platform");
        String base = property("base");
        String jmods = property("jmods");
        return new Plan(
                Path.of(property("libraries")),
                Path.of(property("parts")),
                Path.of(property("launcher")),
                Path.of(property("files")),
                Path.of(property("output")),
                property("version"),
                Instant.parse(property("time")),
                architecture.isEmpty()
                        ? Architecture.ofThisMachine()
                        : Architecture.valueOf(architecture.toUpperCase(Locale.ROOT)),
                base.isEmpty() ? null : base,
                jmods.isEmpty() ? null : Path.of(jmods));
    }

    private static String property(String name) {
        return System.getProperty("image." + name, "");
    }
}
