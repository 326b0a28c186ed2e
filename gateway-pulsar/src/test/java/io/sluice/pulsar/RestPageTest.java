package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.admin.PulsarAdminApi;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/pulsar-rest.md} lists every route of Pulsar with what this server answers. {@code -Dsluice.docs.write=true} writes it.
 */
class RestPageTest extends ClientTest {
    private static final Path PAGE = Path.of("../docs/pulsar-rest.md");
    private static final String TABLE = "| route of Pulsar 4.2 | done | missing | not applicable |";
    private TestAdmin http;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    private static List<String> routes() throws Exception {
        try (InputStream in = PulsarAdminApi.class.getResourceAsStream("pulsar-routes.txt")) {
            return new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    @Test
    void thePageIsTrue() throws Exception {
        List<String> mounted = http.rights().keySet().stream()
                .map(route -> route.replaceAll(":[a-zA-Z]+", "*"))
                .toList();
        Map<String, Integer> sums = new TreeMap<>();
        List<String> lines = new ArrayList<>();
        Map<String, Integer> reasons = new LinkedHashMap<>();
        for (String route : routes()) {
            String[] words = route.split(" ");
            List<String> done = new ArrayList<>();
            List<String> missing = new ArrayList<>();
            List<String> never = new ArrayList<>();
            for (String method : words[0].split(",")) {
                if (mounted.contains(method + " " + words[1])) {
                    done.add(method);
                    sums.merge("done", 1, Integer::sum);
                    continue;
                }
                String why = why(method, words[1]);
                if (why.isEmpty()) {
                    missing.add(method);
                    sums.merge("missing", 1, Integer::sum);
                } else {
                    reasons.putIfAbsent(why, reasons.size() + 1);
                    never.add(method + " (" + reasons.get(why) + ")");
                    sums.merge("not applicable", 1, Integer::sum);
                }
            }
            lines.add("| `" + words[1] + "` | " + String.join(", ", done) + " | " + String.join(", ", missing) + " | "
                    + String.join(", ", never) + " |");
        }
        check(sums, reasons, lines);
    }

    /** Reason that the server answers with; empty if it is only missing. */
    private String why(String method, String path) throws Exception {
        String reason =
                new JsonObject(http.ask(method, path.replace("*", "x"), "").body()).getString("reason");
        assertThat(reason).as(method + " " + path).startsWith("this server does not have Pulsar's");
        int why = reason.indexOf(": ");
        return why < 0 ? "" : reason.substring(why + 2);
    }

    private static void check(Map<String, Integer> sums, Map<String, Integer> reasons, List<String> lines)
            throws Exception {
        List<String> page = Files.readAllLines(PAGE);
        int begin = page.indexOf("## Not applicable");
        List<String> written = new ArrayList<>(page.subList(0, begin));
        written.add("## Not applicable");
        written.add("");
        reasons.forEach((why, number) -> written.add(number + ". " + why));
        written.add("");
        written.add("## Routes");
        written.add("");
        written.add("Requests, each method being one: " + sums + ".");
        written.add("");
        written.add(TABLE);
        written.add("|---|---|---|---|");
        written.addAll(lines);
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.write(PAGE, written);
        } else {
            assertThat(page).as("written by -Dsluice.docs.write=true").isEqualTo(written);
        }
    }
}
