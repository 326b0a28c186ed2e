package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.Wanted;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a client in a process of its own: another language, or another version of a Java client. */
final class ClientProgram {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final Path CLIENTS = Path.of("clients").toAbsolutePath();
    /** Written by the build of that module: its tests run with Pulsar 5's client. */
    private static final Path PULSAR_5 = Path.of("../gateway-pulsar/target/test.classpath");

    /** Tables that only a debugger reads are half of what linking costs. */
    private static final String NO_DEBUGGER = "-ldflags=-s -w";
    /** For clients with Logback, which else prints each step that the client takes. */
    private static final String FEW_LINES =
            "-Dlogback.configurationFile=" + CLIENTS.resolve("src/main/resources/logback-test.xml");

    private ClientProgram() {}

    /** Runs {@code clients/python/<script>} in a virtual environment with the pinned requirements. */
    static void python(String script, String... arguments) throws Exception {
        expectAllOk(run(CLIENTS, 300, pythonCommand(script, arguments)));
    }

    /** What runs it. */
    static List<String> pythonCommand(String script, String... arguments) throws Exception {
        return pythonCommand(CLIENTS.resolve("python").resolve(script), arguments);
    }

    /** What runs a script that lies anywhere. */
    static List<String> pythonCommand(Path script, String... arguments) throws Exception {
        requireTool("python3");
        Path environment = TARGET.resolve("venv");
        preparePython(environment);
        return command(List.of(environment + "/bin/python", script.toString()), arguments);
    }

    /** The JVMs of the tests take turns, and the threads of each: who comes second finds it made. */
    private static synchronized void preparePython(Path environment) throws Exception {
        Path requirements = CLIENTS.resolve("python/requirements.txt");
        Path stamp = environment.resolve("requirements.txt");
        try (FileChannel turns = FileChannel.open(
                        TARGET.resolve("venv.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = turns.lock()) {
            if (!Files.exists(stamp) || Files.mismatch(stamp, requirements) >= 0) {
                run(CLIENTS, 300, List.of("python3", "-m", "venv", environment.toString()));
                run(
                        CLIENTS,
                        300,
                        List.of(
                                environment + "/bin/pip",
                                "install",
                                "-q",
                                "--no-compile",
                                "-r",
                                requirements.toString()));
                Files.copy(requirements, stamp, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Builds and runs {@code clients/go/<program>}; without C code, which takes minutes to compile. */
    static void go(String program, String... arguments) throws Exception {
        expectAllOk(run(CLIENTS.resolve("go"), 300, goCommand(program, arguments)));
    }

    /** What runs it; builds it. */
    static List<String> goCommand(String program, String... arguments) throws Exception {
        return goCommand(Path.of("./" + program), TARGET.resolve("go-" + program), arguments);
    }

    /** What runs a program that is a folder of {@code clients/go}, or a file that lies anywhere; builds it as {@code binary}. */
    static List<String> goCommand(Path program, Path binary, String... arguments) throws Exception {
        requireTool("go");
        String source = program.isAbsolute() ? program.toString() : "./" + program.normalize();
        buildGo(source, binary);
        return command(List.of(binary.toString()), arguments);
    }

    /** One at a time: a program that is being written cannot be started. */
    private static synchronized void buildGo(String source, Path binary) throws Exception {
        run(
                CLIENTS.resolve("go"),
                300,
                List.of("env", "CGO_ENABLED=0", "go", "build", NO_DEBUGGER, "-o", binary.toString(), source));
    }

    /** Builds and runs {@code clients/rust} with the crates of its lock file; what it wrote, by lines. Compiling takes a minute or more. */
    static List<String> rustLines(String... arguments) throws Exception {
        requireTool("cargo");
        Path built = TARGET.resolve("rust");
        List<String> build = List.of("cargo", "build", "-q", "--locked", "--target-dir", built.toString());
        run(CLIENTS.resolve("rust"), 900, build);
        return okLines(run(
                CLIENTS, 300, command(List.of(built.resolve("debug/features").toString()), arguments)));
    }

    private static List<String> command(List<String> program, String... arguments) {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Runs a main class of these tests with the Java client whose jars are in {@code target/clients/<name>}. */
    static void java(String client, Class<?> program, String... arguments) throws Exception {
        javaWith(jars(client), program, arguments);
    }

    /** Runs a main class of these tests with Pulsar 5's Java client. */
    static void pulsar5(Class<?> program, String... arguments) throws Exception {
        javaWith(pulsar5Jars(), program, arguments);
    }

    /** A class path. */
    static String jars(String client) {
        return TARGET.resolve("clients").resolve(client) + "/*";
    }

    /** A class path. */
    static String pulsar5Jars() throws IOException {
        return Stream.of(Files.readString(PULSAR_5).strip().split(File.pathSeparator))
                .filter(part -> part.endsWith(".jar"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static void javaWith(String jars, Class<?> program, String... arguments) throws Exception {
        linesWith(jars, program, arguments);
    }

    /** As {@link #java}; what it wrote, by lines. */
    static List<String> javaLines(String client, Class<?> program, String... arguments) throws Exception {
        return linesWith(jars(client), program, arguments);
    }

    /** As {@link #pulsar5}, with what it encrypts with; what it wrote, by lines. */
    static List<String> pulsar5Lines(Class<?> program, String... arguments) throws Exception {
        return linesWith(pulsar5Jars() + File.pathSeparator + jars("pulsar-5-crypto"), program, arguments);
    }

    /** As {@link #python}; what it wrote, by lines. */
    static List<String> pythonLines(String script, String... arguments) throws Exception {
        return okLines(run(CLIENTS, 300, pythonCommand(script, arguments)));
    }

    /** As {@link #go}; what it wrote, by lines. */
    static List<String> goLines(String program, String... arguments) throws Exception {
        return okLines(run(CLIENTS.resolve("go"), 300, goCommand(program, arguments)));
    }

    private static List<String> linesWith(String jars, Class<?> program, String... arguments) throws Exception {
        String classPath = TARGET.resolve("test-classes") + File.pathSeparator + jars;
        List<String> command =
                BriefJvm.command("-Xmx512m", "-XX:+UseSerialGC", FEW_LINES, "-cp", classPath, program.getName());
        command.addAll(List.of(arguments));
        return okLines(run(TARGET, 300, command));
    }

    private static void expectAllOk(String output) {
        okLines(output);
    }

    private static List<String> okLines(String output) {
        assertThat(output.lines()).contains("all ok");
        return output.lines().toList();
    }

    /** Output of a command that ends with 0 within {@code seconds}. */
    static String run(Path folder, int seconds, List<String> command) throws Exception {
        Path log = Files.createTempFile(Files.createDirectories(TARGET.resolve("client-output")), "run", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        String output = Files.readString(log, StandardCharsets.UTF_8);
        assertThat(ended)
                .as("%s did not end in %d s:%n%s", command, seconds, output)
                .isTrue();
        assertThat(process.exitValue()).as("%s:%n%s", command, output).isZero();
        return output;
    }

    static void requireTool(String tool) throws IOException, InterruptedException {
        boolean found = new ProcessBuilder("sh", "-c", "command -v " + tool)
                        .redirectErrorStream(true)
                        .start()
                        .waitFor()
                == 0;
        Wanted.require(found, tool);
    }
}
