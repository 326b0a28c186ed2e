package io.sluice.perf.result;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.sluice.perf.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a run.
 *
 * <pre>
 *   results.json  an array of {@link RunResult}; what was not measured is "NaN" or -1
 *   results.csv   a line per result
 *   series.csv    a line per second of each result
 * </pre>
 */
public final class ResultFiles {
    private static final String RESULTS = "results.json";
    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private ResultFiles() {}

    /** Writes all results, over those written to this folder before, and makes the folder if need be. */
    public static void write(Path folder, List<RunResult> results) throws IOException {
        Files.createDirectories(folder);
        JSON.writeValue(folder.resolve(RESULTS).toFile(), results);
        Files.write(folder.resolve("results.csv"), resultLines(results));
        Files.write(folder.resolve("series.csv"), seriesLines(results));
    }

    /** @throws IOException whose message tells a user what is wrong with the folder */
    public static List<RunResult> read(Path folder) throws IOException {
        Path file = folder.resolve(RESULTS);
        if (!Files.isRegularFile(file)) {
            throw new IOException(folder + " has no " + RESULTS + ": it is not the folder of a run");
        }
        try {
            return JSON.readValue(file.toFile(), new TypeReference<List<RunResult>>() {});
        } catch (JsonProcessingException e) {
            throw new IOException(file + " cannot be read as results: " + e.getOriginalMessage(), e);
        }
    }

    private static List<String> resultLines(List<RunResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add(
                "suite,round,started,system,protocol,workload,topics,partitionsPerTopic,messageSize,producerRate,"
                        + "publishedPerSecond,publishedMBPerSecond,consumedPerSecond,"
                        + "publishP50Ms,publishP95Ms,publishP99Ms,publishP999Ms,publishMaxMs,"
                        + "endToEndP50Ms,endToEndP95Ms,endToEndP99Ms,endToEndP999Ms,endToEndMaxMs,"
                        + "backlogDrainSeconds,backlogReadPerSecond,serverCpuSeconds,serverCpuSecondsPerGB,serverMaxResidentBytes,"
                        + "serverDiskWriteBytes,clientCpuSeconds,failedPublishes,warmedBySeconds,warmedByRecords,settling,machineIdle,machineSteal,clientCores,busiestClientThread,limitedByClient,commit,failure");
        for (RunResult result : results) {
            Workload load = result.workload();
            RunResult.Figures figures = result.figures();
            RunResult.Latency publish = figures.publish();
            RunResult.Latency endToEnd = figures.endToEnd();
            lines.add(line(
                    result.suite(),
                    result.round(),
                    result.started(),
                    result.subject().name(),
                    result.subject().protocol(),
                    load.name(),
                    load.topics(),
                    load.partitionsPerTopic(),
                    load.messageSize(),
                    load.producerRate(),
                    figures.publishedPerSecond(),
                    figures.publishedMBPerSecond(),
                    figures.consumedPerSecond(),
                    publish.p50(),
                    publish.p95(),
                    publish.p99(),
                    publish.p999(),
                    publish.max(),
                    endToEnd.p50(),
                    endToEnd.p95(),
                    endToEnd.p99(),
                    endToEnd.p999(),
                    endToEnd.max(),
                    figures.backlogDrainSeconds(),
                    figures.backlogReadPerSecond(),
                    figures.serverCpuSeconds(),
                    figures.serverCpuSecondsPerGB(),
                    figures.serverMaxResidentBytes(),
                    figures.serverDiskWriteBytes(),
                    figures.clientCpuSeconds(),
                    figures.failedPublishes(),
                    result.warmth().seconds(),
                    result.warmth().records(),
                    Settling.of(result.series()),
                    figures.use().idle(),
                    figures.use().steal(),
                    figures.use().clientCores(),
                    figures.use().busiestClientThread(),
                    figures.use().limitedByClient(),
                    result.commit(),
                    result.failure()));
        }
        return lines;
    }

    private static List<String> seriesLines(List<RunResult> results) {
        List<String> lines = new ArrayList<>();
        lines.add("suite,round,system,protocol,workload,second,published,consumed,backlog,publishP50Ms,publishP99Ms,"
                + "publishMaxMs,endToEndP99Ms,serverCores,serverResidentBytes,serverDiskWriteBytes");
        for (RunResult result : results) {
            for (RunResult.Second second : result.series()) {
                lines.add(line(
                        result.suite(),
                        result.round(),
                        result.subject().name(),
                        result.subject().protocol(),
                        result.workload().name(),
                        second.second(),
                        second.published(),
                        second.consumed(),
                        second.backlog(),
                        second.publishP50(),
                        second.publishP99(),
                        second.publishMax(),
                        second.endToEndP99(),
                        second.serverCores(),
                        second.serverResidentBytes(),
                        second.serverDiskWriteBytes()));
            }
        }
        return lines;
    }

    private static String line(@Nullable Object... cells) {
        return Arrays.stream(cells).map(ResultFiles::cell).collect(Collectors.joining(","));
    }

    /** Quoted where RFC 4180 wants it; what was not measured is empty. */
    private static String cell(@Nullable Object value) {
        String text = value == null || value instanceof Double number && number.isNaN() ? "" : value.toString();
        return text.matches("(?s).*[\",\r\n].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
    }
}
