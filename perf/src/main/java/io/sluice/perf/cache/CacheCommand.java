package io.sluice.perf.cache;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.OnlyOption;
import io.sluice.perf.command.OutputOption;
import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cache}: the suite {@code streaming-cache}. */
@Command(
        name = "cache",
        description =
                "Measure the streaming cache beside a heap map, RocksDB and Pravega's cache (JMH, one thread), and print ratios.",
        mixinStandardHelpOptions = true)
public final class CacheCommand implements Callable<Integer> {
    private static final double GIB = 1L << 30;

    @Mixin
    private Console console = new Console();

    @Option(
            names = "--entries",
            description =
                    "Of 10 KiB in the sequential tests; a million, as published, need 26 GiB of heap (default: ${DEFAULT-VALUE}).")
    private int entries = 100_000;

    @Option(names = "--forks", description = "JVMs for each figure, which is their median (default: ${DEFAULT-VALUE}).")
    private int forks = 5;

    @Option(names = "--warm-ups", description = "Shots of each fork that do not count (default: ${DEFAULT-VALUE}).")
    private int warmUps = 2;

    @Option(names = "--shots", description = "Shots of each fork that do (default: ${DEFAULT-VALUE}).")
    private int shots = 3;

    @Mixin
    private OnlyOption only = new OnlyOption();

    @Mixin
    private OutputOption output = new OutputOption();

    @Override
    public Integer call() {
        try {
            List<Discipline> disciplines = disciplines();
            var laboratory = new Laboratory(new Laboratory.Repeats(forks, warmUps, shots), console::progress);
            Path folder = Files.createDirectories(
                    output.orNewIn(Checkout.find().work().resolve("runs"), "-cache"));
            var table = new CacheTable(laboratory.run(disciplines, List.of(Contestant.values()), folder));
            List<String> answer = new ArrayList<>();
            answer.add(heading());
            answer.addAll(table.lines());
            answer.add("Used above payload by a full streaming cache:");
            for (Overhead overhead : List.of(
                    Overhead.ofGrown(Discipline.SMALL_BYTES),
                    Overhead.ofWhole(Discipline.LARGE_BYTES),
                    Overhead.ofWhole(Discipline.SMALL_BYTES))) {
                answer.add("  " + overhead);
            }
            Files.write(folder.resolve("cache.csv"), table.csv());
            Files.write(folder.resolve("cache.txt"), answer);
            answer.forEach(console::print);
            console.print(folder.toString());
            return 0;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    /** Tests asked for; fails when this machine has not the memory. */
    private List<Discipline> disciplines() {
        if (entries < 1) {
            throw new IllegalArgumentException("--entries is at least 1, not " + entries);
        }
        List<Discipline> chosen = Discipline.all(entries).stream()
                .filter(discipline -> only.matches(discipline.title()))
                .toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("no test's name contains '" + only.text() + "'; there are "
                    + Discipline.all(entries).stream().map(Discipline::title).toList());
        }
        long memory = ThisMachine.describe().memoryBytes();
        for (Discipline discipline : chosen) {
            long needed = Laboratory.heapBytes(discipline.room());
            if (needed > memory) {
                throw new IllegalArgumentException(String.format(
                        Locale.ROOT,
                        "'%s' needs %.1f GiB of memory and this machine has %.1f: lower --entries",
                        discipline.title(),
                        needed / GIB,
                        memory / GIB));
            }
        }
        return chosen;
    }

    private String heading() {
        var machine = ThisMachine.describe();
        return String.format(
                Locale.ROOT,
                "Caches of %,d entries of 10 KiB (%.2f GiB; published: 1,000,000), one thread; random: 60 %% insert, 40 %% delete."
                        + " Median of %d forks. %s, %d cores, JDK %s.",
                entries,
                (double) entries * Discipline.SMALL_BYTES / GIB,
                forks,
                machine.cpu(),
                machine.cores(),
                machine.jdk());
    }
}
