package io.sluice.perf.compare;

import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.PeerFolder;
import io.sluice.perf.peer.RunningServer;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Goes through a schedule: one server at a time, each on a new folder of the same disk. */
public final class Comparison {
    /** Topics and clients are new to each workload, though the server is not. */
    private static final int ROW_WARM_UP_SECONDS = 5;

    private final Path data;
    private final LoadDriver driver;
    private final Consumer<String> progress;

    /** Gets every result as soon as it is there. */
    public interface ResultSink {
        void accept(RunResult result) throws IOException;
    }

    /**
     * @param data where the servers' folders are made, one at a time
     * @param progress gets a line per turn
     */
    public Comparison(Path data, LoadDriver driver, Consumer<String> progress) {
        this.data = data;
        this.driver = driver;
        this.progress = progress;
    }

    /** Fetches and builds what will be needed, before anything is measured. */
    public static void prepare(List<Entrant> entrants, Consumer<String> progress)
            throws PeerException, InterruptedException {
        for (Contender contender :
                entrants.stream().map(Entrant::contender).distinct().toList()) {
            progress.accept("preparing " + contender.name());
            contender.prepare();
        }
    }

    /**
     * Results in the order of the turns; a turn that climbs has one for every step. A server that does not start costs its own turn
     * only.
     */
    public List<RunResult> run(List<Turn> turns, ResultSink each) throws InterruptedException, IOException {
        List<RunResult> results = new ArrayList<>();
        int number = 0;
        for (Turn turn : turns) {
            number++;
            progress.accept("[" + number + "/" + turns.size() + "] " + turn);
            run(turn, result -> {
                if (result.failure() != null) {
                    progress.accept("  failed: " + result.failure());
                }
                results.add(result);
                each.accept(result);
            });
        }
        return results;
    }

    private void run(Turn turn, ResultSink each) throws InterruptedException, IOException {
        Files.createDirectories(data);
        Path folder = Files.createTempDirectory(data, turn.entrant().contender().name() + "-");
        writeBack();
        try (RunningServer server = turn.entrant().contender().start(folder)) {
            switch (turn.course()) {
                case APART -> each.accept(drive(turn, server));
                case RISING -> climb(turn, server, each);
                case IN_A_ROW -> row(turn, server, each);
            }
        } catch (PeerException e) {
            PeerFolder.delete(folder);
            for (Workload workload : turn.workloads()) {
                each.accept(driver.notStarted(turn.with(workload), String.valueOf(e.getMessage())));
            }
        }
    }

    private void climb(Turn turn, RunningServer server, ResultSink each) throws InterruptedException, IOException {
        var climb = new Climb(turn.workload());
        Warmth warmth = warmUp(turn, server);
        for (Optional<Workload> step = Optional.of(climb.first()); step.isPresent(); ) {
            progress.accept("  " + step.get().name());
            RunResult result = drive(turn.with(step.get()), server).warmedBy(warmth);
            warmth = result.warmthAfter();
            each.accept(result);
            step = climb.after(result);
        }
    }

    private void row(Turn turn, RunningServer server, ResultSink each) throws InterruptedException, IOException {
        Warmth warmth = warmUp(turn, server);
        for (Workload workload : turn.workloads()) {
            progress.accept("  " + workload.name());
            int seconds = Math.min(workload.warmupDurationSeconds(), ROW_WARM_UP_SECONDS);
            RunResult result =
                    drive(turn.with(workload.withWarmUp(seconds)), server).warmedBy(warmth);
            warmth = result.warmthAfter();
            each.accept(result);
            writeBack();
        }
    }

    private Warmth warmUp(Turn turn, RunningServer server) throws InterruptedException, IOException {
        progress.accept("  " + turn.warmUp().workload().name());
        RunResult warmUp = drive(turn.warmUp(), server);
        writeBack();
        return warmUp.warmthAfter();
    }

    private RunResult drive(Turn turn, RunningServer server) throws InterruptedException {
        Entrant entrant = turn.entrant();
        var subject = new RunResult.Subject(
                entrant.contender().name(), entrant.protocol(), server.version(), server.settings());
        return driver.drive(turn, subject, server.target(entrant.protocol()), server.pid());
    }

    /** Writes the last server's dirty pages back, so that the next one does not pay for them. */
    private static void writeBack() throws IOException, InterruptedException {
        int code = new ProcessBuilder("sync").start().waitFor();
        if (code != 0) {
            throw new IOException("sync failed with code " + code);
        }
    }
}
