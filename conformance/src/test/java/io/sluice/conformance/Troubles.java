package io.sluice.conformance;

import io.sluice.conformance.clients.KafkaSide;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;

/**
 * Changes of a running server that its clients must not notice, drawn by a seeded generator; the server may be killed while one is made.
 * A change may be refused with a reason, for example because another is under way, but must not fail otherwise.
 */
final class Troubles {
    /** Not a failure: not there yet after a start, in the way of another, or not possible as things are. */
    private static final Set<Integer> REFUSED = Set.of(400, 404, 409, 412, 503);

    private static final String DONE = " -> done";

    private static final Pattern CONTAINER = Pattern.compile("\"container\":(\\d+)[^}]*\"durability\":(\\d)");
    private static final Pattern ACTIVE =
            Pattern.compile("\"segment\":(\\d+),\"range\":\"([0-9a-f]{4}-[0-9a-f]{4})\",\"active\":true");

    private final SluiceServer server;
    private final int containers;
    private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
    private final Map<Kind, Integer> done = Collections.synchronizedMap(new EnumMap<>(Kind.class));

    /** What is done to the server. */
    enum Kind {
        MOVE_OF_KAFKA,
        MOVE_OF_PULSAR,
        MOVE_OF_SEGMENT,
        SPLIT,
        MERGE,
        LEVEL_OF_KAFKA,
        LEVEL_OF_PULSAR,
        MORE_CONTAINERS,
        FEWER_CONTAINERS,
        LIMITS
    }

    /** @param containers of the default level, that the server begins with */
    Troubles(SluiceServer server, int containers) {
        this.server = server;
        this.containers = containers;
    }

    /** All kinds so often, shuffled, and so many at a time. */
    static List<List<Kind>> plan(Random random, int times, int together) {
        List<Kind> all = new ArrayList<>();
        for (int n = 0; n < times; n++) {
            all.addAll(List.of(Kind.values()));
        }
        Collections.shuffle(all, random);
        List<List<Kind>> rounds = new ArrayList<>();
        for (int n = 0; n < all.size(); n += together) {
            rounds.add(List.copyOf(all.subList(n, Math.min(n + together, all.size()))));
        }
        return rounds;
    }

    /** Makes one. Returns when it is answered, or when the server does not answer any more. */
    void make(Kind kind, Random random) throws Exception {
        String what = kind.toString();
        try {
            what = switch (kind) {
                case MOVE_OF_KAFKA -> moveOfKafka(kind, random);
                case MOVE_OF_PULSAR -> moveOfPulsar(kind, random);
                case MOVE_OF_SEGMENT -> moveOfSegment(kind, random);
                case SPLIT -> split(kind, random);
                case MERGE -> merge(kind, random);
                case LEVEL_OF_KAFKA ->
                    configure(kind, random, "sluice.durability", Integer.toString(1 + random.nextInt(4)));
                case LEVEL_OF_PULSAR -> levelOfPulsar(kind, random);
                case MORE_CONTAINERS -> count(kind, containers + 1 + random.nextInt(2));
                case FEWER_CONTAINERS -> fewer(kind);
                case LIMITS ->
                    configure(kind, random, "sluice.scaling.events.per.second", random.nextBoolean() ? "5" : "500");
            };
        } catch (IOException e) {
            what += ": no answer, " + e;
        }
        log.add(what);
    }

    private String moveOfKafka(Kind kind, Random random) throws Exception {
        String topic = kafkaTopic(random);
        int partitions = topic.equals(KafkaPart.ORDINARY)
                ? EverythingAtOnceTest.KAFKA_PARTITIONS
                : EverythingAtOnceTest.ELASTIC_PARTITIONS;
        return move(kind, random, topic, random.nextInt(partitions));
    }

    private static String kafkaTopic(Random random) {
        return List.of(KafkaPart.ORDINARY, KafkaPart.ELASTIC, KafkaTransactionsPart.TRANSACTIONAL)
                .get(random.nextInt(3));
    }

    private static String scalableTopic(Random random) {
        return random.nextBoolean() ? Pulsar5Part.SCALABLE : Pulsar5TransactionsPart.SCALABLE;
    }

    private String moveOfPulsar(Kind kind, Random random) throws Exception {
        return random.nextBoolean()
                ? move(kind, random, full(PulsarPart.NAMED), 0)
                : move(kind, random, full(PulsarPart.PARTITIONED), random.nextInt(PulsarPart.PARTITIONS));
    }

    private String moveOfSegment(Kind kind, Random random) throws Exception {
        String topic = scalableTopic(random);
        List<Segment> active = active(topic);
        if (active.isEmpty()) {
            return kind + ": no segment is known";
        }
        Segment segment = active.get(random.nextInt(active.size()));
        return move(kind, random, "segment://public/default/" + topic + "/" + segment.range + "-" + segment.id, 0);
    }

    private static String full(String topic) {
        return "persistent://public/default/" + topic;
    }

    /** To the first of all containers, shuffled, that has the topic's level: others are refused. */
    private String move(Kind kind, Random random, String topic, int partition) throws Exception {
        List<String> all = new ArrayList<>(CONTAINER
                .matcher(server.get("/sluice/containers"))
                .results()
                .map(found -> found.group(1))
                .toList());
        Collections.shuffle(all, random);
        String what = kind + ": no container is known";
        for (int n = 0; n < all.size() && !what.contains(DONE); n++) {
            what = ask(
                    kind,
                    "POST",
                    "/sluice/topics/move?topic=" + URLEncoder.encode(topic, StandardCharsets.UTF_8) + "&partition="
                            + partition + "&container=" + all.get(n),
                    "");
        }
        return what;
    }

    private record Segment(String id, String range) {}

    /** By their ranges. */
    private List<Segment> active(String topic) throws Exception {
        return ACTIVE.matcher(server.get("/sluice/topics/describe?topic="
                        + URLEncoder.encode("topic://public/default/" + topic, StandardCharsets.UTF_8)))
                .results()
                .map(found -> new Segment(found.group(1), found.group(2)))
                .sorted(Comparator.comparing(Segment::range))
                .toList();
    }

    private String split(Kind kind, Random random) throws Exception {
        return split(kind, random, scalableTopic(random));
    }

    private String split(Kind kind, Random random, String topic) throws Exception {
        List<Segment> active = active(topic);
        String id = active.isEmpty() ? "0" : active.get(random.nextInt(active.size())).id;
        return ask(kind, "POST", "/admin/v2/scalable/public/default/" + topic + "/split/" + id, "");
    }

    private String merge(Kind kind, Random random) throws Exception {
        String topic = scalableTopic(random);
        List<Segment> active = active(topic);
        if (active.size() < 2) {
            log.add(split(Kind.SPLIT, random, topic));
            active = active(topic);
        }
        if (active.size() < 2) {
            return kind + ": there are no two";
        }
        int first = random.nextInt(active.size() - 1);
        String ids = active.get(first).id + "/" + active.get(first + 1).id;
        return ask(kind, "POST", "/admin/v2/scalable/public/default/" + topic + "/merge/" + ids, "");
    }

    private String levelOfPulsar(Kind kind, Random random) throws Exception {
        String topic = random.nextBoolean() ? PulsarPart.NAMED : PulsarPart.PARTITIONED;
        return ask(
                kind,
                "POST",
                "/admin/v2/persistent/public/default/" + topic + "/durability",
                Integer.toString(1 + random.nextInt(4)));
    }

    private String count(Kind kind, int count) throws Exception {
        return ask(kind, "PUT", "/sluice/containers?count=" + count, "");
    }

    /** Only an empty one can go: the newest, if nothing has come there yet. */
    private String fewer(Kind kind) throws Exception {
        long now = CONTAINER
                .matcher(server.get("/sluice/containers"))
                .results()
                .filter(found -> found.group(2).equals("1"))
                .count();
        String more = count(Kind.MORE_CONTAINERS, (int) now + 1);
        return more + ", " + count(kind, (int) now);
    }

    private String ask(Kind kind, String method, String page, String body) throws Exception {
        SluiceServer.Answer answer = server.ask(method, page, body);
        if (answer.status() < 300) {
            done.merge(kind, 1, Integer::sum);
        } else if (!REFUSED.contains(answer.status())) {
            throw new AssertionError(method + " " + page + " " + body + " was answered " + answer);
        }
        return kind + ": " + page + " " + body + (answer.status() < 300 ? DONE : " -> " + answer);
    }

    /** Kafka's client asks again until the server is there. */
    private String configure(Kind kind, Random random, String name, String value) throws Exception {
        String topic = kafkaTopic(random);
        if (kind == Kind.LIMITS && topic.equals(KafkaPart.ORDINARY)) {
            topic = KafkaPart.ELASTIC;
        }
        var change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        String what = kind + ": " + topic + " " + name + "=" + value;
        try (Admin admin = new KafkaSide(server.kafka()).admin()) {
            KafkaSide.get(admin.incrementalAlterConfigs(
                            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(change)))
                    .all());
            done.merge(kind, 1, Integer::sum);
            return what;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RetriableException) {
                return what + " -> " + e.getCause();
            }
            throw e;
        }
    }

    void note(String what) {
        log.add(what);
    }

    /** How many were made and not refused. */
    int done(Kind kind) {
        return done.getOrDefault(kind, 0);
    }

    /** What was done and how it was answered. */
    @Override
    public String toString() {
        return String.join("\n", log);
    }
}
