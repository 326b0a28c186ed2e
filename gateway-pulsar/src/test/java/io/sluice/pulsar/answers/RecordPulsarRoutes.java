package io.sluice.pulsar.answers;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the list of the routes that Apache Pulsar's HTTP interface has, from its annotated classes: one line for each path, with its
 * methods, and {@code *} for a parameter. Its jars are on the class path; {@code conformance/record-pulsar-answers} puts them there.
 */
final class RecordPulsarRoutes {
    private static final Map<String, String> PACKAGES = Map.of(
            "org/apache/pulsar/broker/admin/v2/", "/admin/v2",
            "org/apache/pulsar/broker/admin/v3/", "/admin/v3",
            "org/apache/pulsar/broker/lookup/v2/", "/lookup",
            "org/apache/pulsar/broker/rest/", "/topics");
    private static final Set<String> METHODS = Set.of("GET", "PUT", "POST", "DELETE");

    private static final Set<String> DOMAINS = Set.of("persistent", "non-persistent");

    private final TreeMap<String, TreeSet<String>> methodsOfPaths = new TreeMap<>();

    private RecordPulsarRoutes() {}

    /** Arguments: the jar of Pulsar's broker, its version, the file to write. */
    public static void main(String[] args) throws IOException, ReflectiveOperationException {
        if (args.length != 3) {
            System.err.println("usage: RecordPulsarRoutes JAR VERSION FILE");
            System.exit(2);
        }
        RecordPulsarRoutes routes = new RecordPulsarRoutes();
        try (JarFile jar = new JarFile(args[0])) {
            for (JarEntry entry : jar.stream().toList()) {
                routes.addClass(entry.getName());
            }
        }
        String lines = routes.methodsOfPaths.entrySet().stream()
                .map(e -> String.join(",", e.getValue()) + " " + e.getKey() + "\n")
                .collect(Collectors.joining());
        Files.writeString(
                Path.of(args[2]),
                "# HTTP routes of Apache Pulsar " + args[1] + ", written by conformance/record-pulsar-answers\n"
                        + lines);
    }

    private void addClass(String file) throws ReflectiveOperationException {
        String folder = PACKAGES.get(file.substring(0, file.lastIndexOf('/') + 1));
        if (folder == null || !file.endsWith(".class") || file.contains("$") || file.endsWith("package-info.class")) {
            return;
        }
        Class<?> resource = Class.forName(
                file.substring(0, file.length() - ".class".length()).replace('/', '.'),
                false,
                RecordPulsarRoutes.class.getClassLoader());
        String base = pathOf(resource.getAnnotations());
        if (base == null) {
            return;
        }
        for (Method method : resource.getMethods()) {
            String path = Objects.requireNonNullElse(pathOf(method.getAnnotations()), "");
            for (Annotation annotation : method.getAnnotations()) {
                String name = annotation.annotationType().getSimpleName();
                if (METHODS.contains(name)) {
                    for (String domain : DOMAINS) {
                        add(name, (folder + "/" + base + "/" + path).replace("{topic-domain}", domain));
                    }
                }
            }
        }
    }

    private void add(String method, String path) {
        String plain = path.replaceAll("\\{[^}]*}", "*").replaceAll("/+", "/").replaceFirst("/$", "");
        methodsOfPaths.computeIfAbsent(plain, p -> new TreeSet<>()).add(method);
    }

    /** Value of the annotation Path, by its name: it belongs to a library that this module does not have. */
    private static @Nullable String pathOf(Annotation[] annotations) throws ReflectiveOperationException {
        for (Annotation annotation : annotations) {
            if (annotation.annotationType().getSimpleName().equals("Path")) {
                return (String) annotation.annotationType().getMethod("value").invoke(annotation);
            }
        }
        return null;
    }
}
