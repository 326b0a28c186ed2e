package io.sluice.conformance.steps;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Packs {@link HaltAgent} for {@code -javaagent}. */
public final class AgentJar {
    private AgentJar() {}

    public static Path in(Path folder) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", HaltAgent.class.getName());
        Path jar = folder.resolve("halt-agent.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (String part : List.of("HaltAgent", "HaltAgent$Insertion", "HaltAgent$Call")) {
                String name = HaltAgent.class.getPackageName().replace('.', '/') + "/" + part + ".class";
                out.putNextEntry(new JarEntry(name));
                try (InputStream in = HaltAgent.class.getResourceAsStream("/" + name)) {
                    if (in == null) {
                        throw new IOException(name + " is not on the class path");
                    }
                    in.transferTo(out);
                }
            }
        }
        return jar;
    }
}
