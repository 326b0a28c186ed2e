package io.sluice.image;

import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/** The Java runtime: a JDK's modules that the server uses, and {@code jcmd} to look into it. */
final class JavaRuntime {
    static final String HOME = "opt/sluice/jre";

    /**
     * Modules that jdeps finds in the server's jars, and java.instrument for agents. Not java.desktop (23 MB, and libraries of X11):
     * setters found by introspection, colours in settings and the like are named by libraries, and not used here.
     */
    private static final List<String> MODULES = List.of(
            "java.base",
            "java.instrument",
            "java.logging",
            "java.management",
            "java.naming",
            "java.security.jgss",
            "java.security.sasl",
            "java.sql",
            "java.xml",
            "jdk.jcmd",
            "jdk.jfr",
            "jdk.management",
            "jdk.net",
            "jdk.unsupported");

    private JavaRuntime() {}

    static void link(Plan plan, Root root) {
        List<String> arguments = new ArrayList<>(List.of(
                "--output",
                root.path("java", HOME).toString(),
                "--add-modules",
                String.join(",", MODULES),
                "--strip-java-debug-attributes",
                "--no-header-files",
                "--no-man-pages",
                "--vm=server"));
        if (plan.jmods() != null) {
            arguments.addAll(List.of("--module-path", plan.jmods().toString()));
        }
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElseThrow();
        if (jlink.run(System.out, System.err, arguments.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("jlink failed, see above");
        }
    }
}
