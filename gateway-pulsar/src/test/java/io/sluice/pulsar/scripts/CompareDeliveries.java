package io.sluice.pulsar.scripts;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.jspecify.annotations.Nullable;

/**
 * Plays scripts of deliveries on Apache Pulsar and on our server, and prints where what consumers get differs. Takes the URLs of both,
 * how many scripts, how many steps each has, the first seed, and which scripts: {@code deliveries} or {@code features}. Prints {@code restart} when both servers should be started again, and
 * reads a line when they are. See {@code conformance/compare-pulsar-deliveries}.
 */
public final class CompareDeliveries {
    private static final String NAMESPACE = "public/deliveries";

    /** Scripts at a time: most of a script is waiting. */
    private static final int AT_ONCE = 12;

    private static final int QUIET_MILLIS = 700;

    /** A script that differs is played again with longer waits, so that a machine that is busy is no difference. */
    private static final int PATIENT_MILLIS = 1500;

    /** The messages of one key; the group has them. */
    private static final Pattern KEY = Pattern.compile("\\bk[0-9]+(\\[[^]]*])");

    private static final Pattern VALUE = Pattern.compile("\\b[0-9]{3,}(?:\\b|r)");

    private final List<Side> sides;
    private final Kind kind;
    private final int steps;
    private final String run = "d" + System.currentTimeMillis();
    private final BufferedReader restarted = new BufferedReader(new InputStreamReader(System.in));

    private record Side(PulsarClient client, PulsarAdmin admin) implements AutoCloseable {
        static Side of(String serviceUrl, String httpUrl, boolean transactions) throws Exception {
            PulsarAdmin admin = PulsarAdmin.builder()
                    .serviceHttpUrl(httpUrl)
                    .readTimeout(30, TimeUnit.SECONDS)
                    .build();
            admin.namespaces().createNamespace(NAMESPACE);
            admin.namespaces().setRetention(NAMESPACE, new RetentionPolicies(-1, -1));
            PulsarClient client = PulsarClient.builder()
                    .serviceUrl(serviceUrl)
                    .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                    .maxBackoffInterval(500, TimeUnit.MILLISECONDS)
                    .operationTimeout(30, TimeUnit.SECONDS)
                    .enableTransaction(transactions)
                    .build();
            return new Side(client, admin);
        }

        @Override
        public void close() throws IOException {
            client.close();
            admin.close();
        }
    }

    /** A script on one server. */
    private final class Play {
        private final Side side;
        private final long seed;
        private final int quietMillis;
        private @Nullable Script script;
        private @Nullable String failure;

        Play(Side side, long seed, int quietMillis) {
            this.side = side;
            this.seed = seed;
            this.quietMillis = quietMillis;
        }

        void firstHalf() {
            guarded(() -> {
                Script made = kind.make(side.client, side.admin, NAMESPACE, run + "-" + quietMillis, seed, quietMillis);
                script = made;
                made.run(steps / 2);
            });
        }

        void secondHalf() {
            Script made = script;
            if (made != null && failure == null) {
                guarded(() -> {
                    made.restarted();
                    made.run(steps - steps / 2);
                    made.finish();
                    made.close();
                });
            }
        }

        private void guarded(Part part) {
            try {
                part.run();
            } catch (Exception e) {
                failure = Comparison.FAILED + e;
            }
        }

        List<String> answers() {
            List<String> answers = new ArrayList<>(script == null ? List.of() : script.answers());
            answers.add(failure == null ? "over" : failure);
            return answers;
        }
    }

    private interface Kind {
        Script make(PulsarClient client, PulsarAdmin admin, String namespace, String run, long seed, int quietMillis)
                throws Exception;
    }

    private interface Part {
        void run() throws Exception;
    }

    private CompareDeliveries(List<Side> sides, Kind kind, int steps) {
        this.sides = sides;
        this.kind = kind;
        this.steps = steps;
    }

    public static void main(String[] args) throws Exception {
        long first = Long.parseLong(args[6]);
        List<Long> seeds = LongStream.range(first, first + Integer.parseInt(args[4]))
                .boxed()
                .toList();
        boolean features = args[7].equals("features");
        try (Side pulsar = Side.of(args[0], args[1], features);
                Side ours = Side.of(args[2], args[3], features)) {
            var comparison = new Comparison(CompareDeliveries::known);
            Kind kind = features ? FeatureScript::new : DeliveryScript::new;
            new CompareDeliveries(List.of(pulsar, ours), kind, Integer.parseInt(args[5])).compare(seeds, comparison);
            System.exit(comparison.print());
        }
    }

    private void compare(List<Long> seeds, Comparison comparison) throws Exception {
        Map<Long, List<Play>> plays = play(seeds, QUIET_MILLIS);
        List<Long> again = seeds.stream()
                .filter(seed -> comparison.firstDifference(answers(plays, seed, 0), answers(plays, seed, 1)) >= 0)
                .toList();
        if (!again.isEmpty()) {
            System.out.println("again with longer waits, by the step that differed:");
            again.forEach(seed -> {
                List<String> first = answers(plays, seed, 0);
                int at = comparison.firstDifference(first, answers(plays, seed, 1));
                System.out.println(
                        "  " + seed + ", step " + at + ": " + first.get(at).split(":", 2)[0]);
            });
            plays.putAll(play(again, PATIENT_MILLIS));
        }
        seeds.forEach(seed -> comparison.add(seed, answers(plays, seed, 0), answers(plays, seed, 1)));
    }

    private static List<String> answers(Map<Long, List<Play>> plays, long seed, int side) {
        return Objects.requireNonNull(plays.get(seed)).get(side).answers();
    }

    /** Plays the scripts on both servers, which are started again in the middle of all of them. */
    private Map<Long, List<Play>> play(List<Long> seeds, int quietMillis) throws Exception {
        Map<Long, List<Play>> plays = new HashMap<>();
        for (long seed : seeds) {
            plays.put(
                    seed,
                    sides.stream()
                            .map(side -> new Play(side, seed, quietMillis))
                            .toList());
        }
        List<Play> all = plays.values().stream().flatMap(List::stream).toList();
        inParallel(all.stream().<Runnable>map(play -> play::firstHalf).toList());
        System.out.println("restart");
        if (restarted.readLine() == null) {
            throw new IOException("the servers are gone");
        }
        inParallel(all.stream().<Runnable>map(play -> play::secondHalf).toList());
        return plays;
    }

    private static void inParallel(List<Runnable> tasks) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2 * AT_ONCE)) {
            List<Future<?>> futures = new ArrayList<>();
            tasks.forEach(task -> futures.add(threads.submit(task)));
            for (Future<?> each : futures) {
                each.get();
            }
        }
    }

    private static Comparison.@Nullable Known known(String ofPulsar, String ofOurs) {
        String step = ofPulsar.split(":", 2)[0];
        if (step.equals("Key_Shared asks again")
                && values(ofPulsar).equals(values(ofOurs))
                && !ofOurs.contains("torn")
                && KEY.matcher(ofOurs).results().allMatch(key -> isInOrder(key.group(1)))) {
            return new Comparison.Known("messages of a key come again out of order, there", false);
        }
        int inPart = step.indexOf(PartlyAcknowledged.IN_PART);
        if (inPart < 0 || !step.equals(ofOurs.split(":", 2)[0])) {
            return null;
        }
        var parts = values(step.substring(inPart + PartlyAcknowledged.IN_PART.length()));
        var there = values(ofPulsar.substring(step.length()));
        var here = values(ofOurs.substring(step.length()));
        if (DeliveryScript.COMING_AGAIN.stream().anyMatch(step::startsWith) && areLeft(there, here, parts)) {
            return new Comparison.Known("acknowledged messages of a batch come again after a restart, there", true);
        }
        return step.startsWith(FeatureScript.RESET) && areLeft(here, there, parts)
                ? new Comparison.Known("acknowledged messages of a batch do not come again after a reset, there", true)
                : null;
    }

    private static boolean isInOrder(String values) {
        List<String> all =
                VALUE.matcher(values).results().map(MatchResult::group).toList();
        return all.equals(all.stream().sorted().toList());
    }

    /** Whether all that one subscription has in the first and not in the second is among what may come, and it has all of the second. */
    private static boolean areLeft(
            Map<String, Set<String>> first, Map<String, Set<String>> second, Map<String, Set<String>> mayCome) {
        return first.keySet().containsAll(second.keySet())
                && first.entrySet().stream().allMatch(each -> {
                    Set<String> there = second.getOrDefault(each.getKey(), Set.of());
                    Set<String> more = new HashSet<>(each.getValue());
                    more.removeAll(there);
                    return each.getValue().containsAll(there)
                            && mayCome.getOrDefault(each.getKey(), Set.of()).containsAll(more);
                });
    }

    private static Map<String, Set<String>> values(String answer) {
        Map<String, Set<String>> values = new HashMap<>();
        for (String part : answer.split("; ", -1)) {
            Set<String> of =
                    VALUE.matcher(part).results().map(MatchResult::group).collect(Collectors.toSet());
            values.put(part.split(" ", 2)[0], of);
        }
        return values;
    }
}
