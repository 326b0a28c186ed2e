package io.sluice.perf.cache;

import io.sluice.perf.result.Spread;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the tests by JMH, each in JVMs of its own with the flags that Sluice's server has. */
final class Laboratory {
    private static final List<String> SERVER_FLAGS = List.of(
            "-XX:+UseParallelGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-Djava.net.preferIPv4Stack=true");
    private static final long BASE_HEAP_BYTES = 512L << 20;
    /** A heap that holds the payload half full leaves the collector room; who keeps nothing on it does not touch it. */
    private static final double HEAP_PER_PAYLOAD = 2.5;

    /** How often: {@code warmUps} shots that do not count and {@code shots} that do, in each of {@code forks} JVMs. */
    record Repeats(int forks, int warmUps, int shots) {
        Repeats {
            if (forks < 1 || warmUps < 0 || shots < 1) {
                throw new IllegalArgumentException("at least one fork and one shot are needed");
            }
        }
    }

    private final Repeats repeats;
    private final Consumer<String> progress;
    private final List<RunResult> results = new ArrayList<>();

    Laboratory(Repeats repeats, Consumer<String> progress) {
        this.repeats = repeats;
        this.progress = progress;
    }

    /** All caches in all tests; JMH's own account goes to {@code jmh.log} and {@code jmh.json} in the folder. */
    List<Score> run(List<Discipline> disciplines, List<Contestant> contestants, Path folder) throws IOException {
        List<Score> scores = new ArrayList<>();
        try (var log = new PrintStream(folder.resolve("jmh.log").toFile(), StandardCharsets.UTF_8)) {
            for (Discipline discipline : disciplines) {
                for (Contestant contestant : contestants) {
                    Score score = run(discipline, contestant, log);
                    scores.add(score);
                    progress.accept(String.format(
                            Locale.ROOT,
                            "%s, %s: %.1f ms",
                            discipline.title(),
                            contestant.title(),
                            score.millis().median()));
                }
            }
        }
        try (var json = new PrintStream(folder.resolve("jmh.json").toFile(), StandardCharsets.UTF_8)) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, json).writeOut(results);
        }
        return scores;
    }

    private Score run(Discipline discipline, Contestant contestant, PrintStream log) throws IOException {
        try {
            RunResult result = new Runner(
                            options(discipline, contestant),
                            OutputFormatFactory.createFormatInstance(log, VerboseMode.NORMAL))
                    .runSingle();
            results.add(result);
            return new Score(
                    discipline,
                    contestant,
                    Spread.of(result.getBenchmarkResults().stream()
                            .mapToDouble(fork -> fork.getPrimaryResult().getScore())));
        } catch (RunnerException e) {
            throw new IOException(
                    discipline.title() + " of " + contestant.title() + " failed, see jmh.log: " + e.getMessage(), e);
        }
    }

    private Options options(Discipline discipline, Contestant contestant) {
        return new OptionsBuilder()
                .include(Pattern.quote(discipline.benchmark()) + "$")
                .param("contestant", contestant.name())
                .param("operations", Integer.toString(discipline.operations()))
                .param("entryBytes", Integer.toString(discipline.entryBytes()))
                .forks(repeats.forks())
                .warmupIterations(repeats.warmUps())
                .measurementIterations(repeats.shots())
                .shouldDoGC(true)
                .shouldFailOnError(true)
                .jvmArgs(flags(discipline.room()).toArray(String[]::new))
                .build();
    }

    static List<String> flags(Room room) {
        long heap = heapBytes(room) >> 20;
        long direct = (room.blockCacheBytes() + BASE_HEAP_BYTES) >> 20;
        List<String> flags = new ArrayList<>(SERVER_FLAGS);
        flags.add("-Xms" + heap + "m");
        flags.add("-Xmx" + heap + "m");
        flags.add("-XX:MaxDirectMemorySize=" + direct + "m");
        flags.add("-Dio.netty.maxDirectMemory=" + (direct << 20));
        return List.copyOf(flags);
    }

    static long heapBytes(Room room) {
        return BASE_HEAP_BYTES + (long) (room.payloadBytes() * HEAP_PER_PAYLOAD);
    }
}
