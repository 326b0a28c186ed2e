package io.sluice.perf.scaling;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.ContainersOption;
import io.sluice.perf.command.OutputOption;
import io.sluice.perf.compare.BenchOptions;
import io.sluice.perf.load.OpenLoop;
import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.RunningServer;
import io.sluice.perf.report.ScalingPage;
import io.sluice.perf.report.ScalingPage.Course;
import io.sluice.perf.report.ScalingPage.Moment;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code scaling}: a constant load into a topic that begins in one place. */
@Command(
        name = "scaling",
        description =
                "Load a topic that begins as one range, and draw how it splits, spreads over containers and merges when the load ends.",
        mixinStandardHelpOptions = true)
public final class ScalingCommand implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final double MEGABYTE = 1e6;

    /** Connector of the clients for the load and the watch. */
    private final OpenLoop.Connector connector;

    @Mixin
    private Console console = new Console();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "NAME",
            description = "kafka: an elastic topic; pulsar5: a scalable one (default: both).")
    private List<String> clients = List.of("kafka", "pulsar5");

    @Option(names = "--rate", description = "Events per second (default: ${DEFAULT-VALUE}).")
    private int rate = 5_000;

    @Option(names = "--size", description = "Bytes per event (default: ${DEFAULT-VALUE}).")
    private int size = 10_000;

    @Option(names = "--seconds", description = "Of load (default: ${DEFAULT-VALUE}).")
    private int seconds = 150;

    @Option(
            names = "--quiet-seconds",
            description = "After it, at most, until all is merged (default: ${DEFAULT-VALUE}).")
    private int quietSeconds = 150;

    @Option(
            names = "--target",
            paramLabel = "BYTES",
            description = "Per second that a range may take before it splits (default: ${DEFAULT-VALUE}).")
    private long target = 20_000_000;

    @Option(
            names = "--target-events",
            paramLabel = "EVENTS",
            description = "Likewise in events (default: ${DEFAULT-VALUE}).")
    private long targetEvents = 2_000;

    @Mixin
    private ContainersOption containers = new ContainersOption();

    @Option(names = "--cooldown", paramLabel = "SECONDS", description = "Between splits (default: ${DEFAULT-VALUE}).")
    private int cooldown = 10;

    @Option(
            names = "--merge-after",
            paramLabel = "SECONDS",
            description = "That neighbours are quiet before they merge (default: ${DEFAULT-VALUE}).")
    private int mergeAfter = 15;

    @Mixin
    private OutputOption output = new OutputOption();

    public ScalingCommand(OpenLoop.Connector connector) {
        this.connector = connector;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            var checkout = Checkout.find();
            Contender sluice = Contenders.sluice(bench.setup(checkout), checkout, settings());
            sluice.prepare();
            Path folder = Files.createDirectories(output.orNewIn(checkout.work().resolve("runs"), "-scaling"));
            List<Course> courses = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            boolean failed = false;
            for (String client : clients) {
                Files.createDirectories(bench.data(checkout));
                Path data = Files.createTempDirectory(bench.data(checkout), "sluice-");
                console.progress(client);
                try (RunningServer server = sluice.start(data)) {
                    failed |= run(client, server, courses, lines);
                }
                Files.writeString(folder.resolve("scaling.html"), ScalingPage.of(title(), lines, courses));
                Files.write(folder.resolve("scaling.csv"), csv(courses));
            }
            lines.forEach(console::print);
            console.print(folder.toString());
            return failed ? FAILED : 0;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>();
        settings.put("store.containers", Integer.toString(containers.count()));
        settings.put("balance.checkMillis", "1000");
        settings.put("scaling.bytesPerSecond", Long.toString(target));
        settings.put("scaling.eventsPerSecond", Long.toString(targetEvents));
        settings.put("scaling.splitCooldownMillis", Integer.toString(cooldown * 1000));
        settings.put("scaling.mergeMillis", Integer.toString(mergeAfter * 1000));
        return settings;
    }

    /** One client's course; true if the load failed, or the topic did not follow it. */
    private boolean run(String client, RunningServer server, List<Course> courses, List<String> lines)
            throws InterruptedException {
        String pulsar = server.target("pulsar");
        String http = pulsar.substring(pulsar.indexOf("http=") + "http=".length());
        boolean scalable = client.equals("pulsar5");
        String url = scalable ? pulsar.replaceFirst("pulsar:", "pulsar5:") : server.target("kafka") + "?elastic=true";
        var workload = new Workload(
                "scaling", 1, 1, size, 1, 1, 1, rate, KeyDistributor.RANDOM_NANO, 0, 0, Math.max(1, seconds));
        var watch =
                new SpreadWatch(http, topic -> scalable ? "topic://public/default/" + topic : topic, console::progress);
        var firstSecond = new Clock();
        var loop = new OpenLoop(address -> watch.begunBy(connector.connect(address)), line -> {
            firstSecond.tick();
            console.progress(line);
        });
        RunResult result;
        try (watch) {
            var subject = new RunResult.Subject("sluice", client, server.version(), server.settings());
            result = loop.drive("scaling", 1, workload, subject, url, server.pid());
            console.progress("the load has ended");
            long end = System.nanoTime() + quietSeconds * 1_000_000_000L;
            while (watch.ranges() > 1 && System.nanoTime() < end) {
                Thread.sleep(500);
            }
        }
        Course course = course(client, result, watch.seen(), firstSecond.nanos());
        courses.add(course);
        lines.add(summary(course, result));
        List<String> missing = ScalingVerdict.missing(course, seconds);
        missing.forEach(what -> lines.add(client + ": " + what));
        return result.failure() != null || !missing.isEmpty();
    }

    /** When the load began, by the first line of progress, which comes after a second of it. */
    private static final class Clock {
        private volatile long first;

        void tick() {
            if (first == 0) {
                first = System.nanoTime() - 1_000_000_000L;
            }
        }

        long nanos() {
            return first;
        }
    }

    private Course course(String client, RunResult result, List<SpreadWatch.Seen> seen, long begin) {
        List<Moment> moments = new ArrayList<>();
        for (SpreadWatch.Seen look : seen) {
            double at = (look.nanos() - begin) / 1e9;
            int second = (int) Math.floor(at);
            RunResult.Second of = second >= 0 && second < result.series().size()
                    ? result.series().get(second)
                    : null;
            if (at >= 0) {
                moments.add(new Moment(
                        at,
                        look.spread().ranges(),
                        look.spread().containers(),
                        look.spread().busiest() / MEGABYTE,
                        look.spread().total() / containers.count() / MEGABYTE,
                        of == null ? Double.NaN : of.published(),
                        of == null ? Double.NaN : of.publishP50(),
                        of == null ? Double.NaN : of.publishP99()));
            }
        }
        return new Course(client.equals("pulsar5") ? "pulsar" : client, moments);
    }

    private String summary(Course course, RunResult result) {
        List<Moment> all = course.moments();
        int most = all.stream().mapToInt(Moment::ranges).max().orElse(0);
        double reached = all.stream()
                .filter(m -> m.ranges() == most)
                .mapToDouble(Moment::second)
                .findFirst()
                .orElse(Double.NaN);
        Moment last = all.isEmpty() ? null : all.getLast();
        double before = median(all, 5, 15);
        double after = median(all, seconds - 30, seconds);
        return String.format(
                Locale.ROOT,
                "%s: %.0f events/s, %.1f MB/s; %d ranges after %.0f s; at the end %d; publish p99 %.1f ms before the first"
                        + " splits, %.1f ms with all of them%s",
                result.subject().protocol(),
                result.figures().publishedPerSecond(),
                result.figures().publishedMBPerSecond(),
                most,
                reached,
                last == null ? 0 : last.ranges(),
                before,
                after,
                result.failure() == null ? "" : "; failed: " + result.failure());
    }

    private static double median(List<Moment> moments, double from, double to) {
        double[] p99 = moments.stream()
                .filter(m -> m.second() >= from && m.second() < to)
                .mapToDouble(Moment::publishP99)
                .filter(Double::isFinite)
                .sorted()
                .toArray();
        return p99.length == 0 ? Double.NaN : p99[p99.length / 2];
    }

    private String title() {
        var machine = ThisMachine.describe();
        return String.format(
                Locale.ROOT,
                "%d events/s of %d B for %d s, split above %.0f MB/s or %d events/s, %d containers. %s, %d cores.",
                rate,
                size,
                seconds,
                target / MEGABYTE,
                targetEvents,
                containers.count(),
                machine.cpu(),
                machine.cores());
    }

    private static List<String> csv(List<Course> courses) {
        List<String> lines = new ArrayList<>();
        lines.add("protocol,second,ranges,containers,busiestMB,meanMB,published,publishP50,publishP99");
        for (Course course : courses) {
            for (Moment m : course.moments()) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%s,%.1f,%d,%d,%.2f,%.2f,%.0f,%.2f,%.2f",
                        course.protocol(),
                        m.second(),
                        m.ranges(),
                        m.containers(),
                        m.busiestMB(),
                        m.meanMB(),
                        m.published(),
                        m.publishP50(),
                        m.publishP99()));
            }
        }
        return lines;
    }
}
