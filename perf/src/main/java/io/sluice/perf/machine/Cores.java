package io.sluice.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Cores of this machine for the clients, and others for the server, so that neither takes the other's time.
 *
 * @param client as {@code taskset -c} wants them: 0,1
 * @param server likewise
 */
public record Cores(String client, String server) {
    /**
     * The first half of the cores that this process may use, and the rest.
     *
     * @throws IllegalArgumentException with fewer than two
     */
    public static Cores split() throws IOException {
        return split(allowed());
    }

    /** Cores that this process may use, as Linux writes them: 0-3,8. */
    static String allowed() throws IOException {
        return Files.readString(Path.of("/proc/self/status"))
                .lines()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    static Cores split(String allowed) {
        List<Integer> cores = list(allowed);
        if (cores.size() < 2) {
            throw new IllegalArgumentException("--pin wants two cores or more, this process has " + cores.size());
        }
        int half = cores.size() / 2;
        return new Cores(text(cores.subList(0, half)), text(cores.subList(half, cores.size())));
    }

    private static List<Integer> list(String ranges) {
        List<Integer> cores = new ArrayList<>();
        for (String range : ranges.isEmpty() ? new String[0] : ranges.split(",")) {
            int dash = range.indexOf('-');
            int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
            int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1));
            for (int core = from; core <= to; core++) {
                cores.add(core);
            }
        }
        return cores;
    }

    private static String text(List<Integer> cores) {
        return cores.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** Has all threads of this process, and those to come, run on the client's cores. */
    public void pinThisProcess() throws IOException, InterruptedException {
        String pid = Long.toString(ProcessHandle.current().pid());
        Process taskset = new ProcessBuilder("taskset", "-a", "-c", "-p", client, pid)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (taskset.waitFor() != 0) {
            throw new IOException("taskset cannot pin this process to cores " + client);
        }
    }
}
