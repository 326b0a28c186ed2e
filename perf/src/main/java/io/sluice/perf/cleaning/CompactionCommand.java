package io.sluice.perf.cleaning;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.TopicOptions;
import io.sluice.perf.compare.Systems;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.peer.PeerException;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code compaction}: what compacting a topic costs. */
@Command(
        name = "compaction",
        description =
                "Fill a compacted topic on Sluice and on Kafka, one server after the other, then let it be compacted, and"
                        + " print how long that takes, what it uses, and how long writers to another topic wait meanwhile.",
        mixinStandardHelpOptions = true)
public final class CompactionCommand implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int QUIET_SECONDS = 15;
    private static final int STABLE_SECONDS = 40;
    private static final int MOST_SECONDS = 1_800;

    @Mixin
    private Console console = new Console();

    @Mixin
    private Systems systems = new Systems(console);

    @Option(names = "--records", description = "Written first (default: ${DEFAULT-VALUE}).")
    private long records = 10_000_000;

    @Option(names = "--keys", description = "That these have (default: ${DEFAULT-VALUE}).")
    private int keys = 5_000_000;

    @Mixin
    private TopicOptions shape = new TopicOptions(4, 500);

    @Override
    public Integer call() throws InterruptedException {
        try {
            boolean well = systems.visit((system, bootstrap, server) -> {
                console.progress(system + ": fills the topic");
                try (var topic = new CompactedTopic(bootstrap, shape.partitions());
                        var probe = new Probe(bootstrap)) {
                    measure(system, topic, probe, new ServerProcess(server.pid()));
                }
            });
            console.printMachine();
            return well ? 0 : FAILED;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    private void measure(String name, CompactedTopic topic, Probe probe, ServerProcess process) throws Exception {
        topic.fill(records, keys, shape.size());
        TimeUnit.SECONDS.sleep(QUIET_SECONDS); // what was written last goes to long-term storage, or to the disk
        probe.p99();
        double cpu = process.cpuSeconds();
        TimeUnit.SECONDS.sleep(QUIET_SECONDS);
        double idle = (process.cpuSeconds() - cpu) / QUIET_SECONDS;
        double before = probe.p99();
        long first = topic.bytes();
        console.progress(String.format(Locale.ROOT, "%s: %.2f GB may be compacted now", name, first / 1e9));

        cpu = process.cpuSeconds();
        long begin = System.nanoTime();
        topic.allow();
        long bytes = first;
        long resident = 0;
        double began = Double.NaN;
        double changed = Double.NaN;
        double used = Double.NaN;
        double during = Double.NaN;
        for (double now = 0; now < MOST_SECONDS; now = (System.nanoTime() - begin) / 1e9) {
            TimeUnit.SECONDS.sleep(1);
            resident = Math.max(resident, process.residentBytes());
            double spent = process.cpuSeconds() - cpu - now * idle;
            if (Double.isNaN(began) && spent > 0.5) {
                began = now;
                probe.p99();
            }
            long there = topic.bytes();
            if (there < 0.99 * bytes) {
                changed = now;
                used = spent;
                during = probe.p99();
                bytes = there;
            } else if (now - changed > STABLE_SECONDS) {
                break;
            }
        }
        double seconds = changed - began;
        console.print(String.format(
                Locale.ROOT,
                "%-12s %5.2f GB to %5.2f GB in %6.1f s, %6.1f MB/s, %5.1f CPU-s/GB, %5.0f MB resident, produce p99 %6.1f ms, before %6.1f ms",
                name,
                first / 1e9,
                bytes / 1e9,
                seconds,
                first / 1e6 / seconds,
                used / (first / 1e9),
                resident / 1e6,
                during,
                before));
    }
}
