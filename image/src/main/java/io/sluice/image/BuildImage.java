package io.sluice.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/**
 * Builds the image, from system properties that the pom sets.
 *
 * <pre>
 *   target/root/system        libraries of this machine, a shell, /etc: only without a base image
 *   target/root/java          the linked Java runtime
 *   target/root/libraries     other people's jars, and native libraries unpacked from them
 *   target/root/server        our jars, scripts, flags, the list of all jars
 *   target/root/aot           the AOT cache
 *   target/sluice.tar, target/sluice-oci.tar
 * </pre>
 */
public final class BuildImage {
    private BuildImage() {}

    public static void main(String[] args) throws Exception {
        Instant start = Instant.now();
        Plan plan = Plan.ofProperties();
        var root = new Root(plan.output().resolve("root"), plan.time());
        JavaRuntime.link(plan, root);
        new Libraries(plan.architecture()).addTo(root, plan.libraries());
        root.copyTree("server", plan.files().resolve("files"));
        root.copy("server", plan.launcher().resolve("memory.sh"), "opt/sluice/bin/memory.sh");
        root.copy("server", plan.launcher().resolve("jvm.args"), "opt/sluice/jvm.args");
        root.copy("server", plan.parts(), "opt/sluice/sbom.json");
        root.write("server", "opt/sluice/classpath", Libraries.classPath(root, Path.of("/")));
        if (plan.base() == null) {
            SystemFiles.addTo(root, plan.files().resolve("system"));
        }
        if (plan.architecture() == Architecture.ofThisMachine()) {
            TrialRun.makeAotCache(root);
        } else {
            System.out.println("No AOT cache: that wants a machine of the image's own architecture.");
        }
        for (Path tar : Layers.write(plan, root)) {
            System.out.printf("%s, %,d bytes%n", tar, Files.size(tar));
        }
        System.out.printf(
                "The image is %,d bytes unpacked, made in %d s%n",
                root.bytes(Layers.NAMES), Duration.between(start, Instant.now()).toSeconds());
    }
}
