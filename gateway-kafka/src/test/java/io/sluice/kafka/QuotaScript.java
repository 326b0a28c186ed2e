package io.sluice.kafka;

import static org.apache.kafka.common.quota.ClientQuotaEntity.CLIENT_ID;
import static org.apache.kafka.common.quota.ClientQuotaEntity.IP;
import static org.apache.kafka.common.quota.ClientQuotaEntity.USER;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.EntryData;
import org.apache.kafka.common.message.AlterClientQuotasRequestData.OpData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData.ComponentData;
import org.apache.kafka.common.message.DescribeClientQuotasResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Requests that change and describe client quotas, good ones and bad ones, to Apache Kafka or to our gateway. A line has what was asked, how it was
 * answered, and the quotas that there are then; of these nothing is left for the next line.
 */
public final class QuotaScript implements AutoCloseable {
    static final String TIME = "request_percentage";
    static final String MUTATIONS = "controller_mutation_rate";
    static final String CONNECTIONS = "connection_creation_rate";
    static final String ARROW = " -> ";

    private static final short VERSION = 1;
    private static final byte EXACT = 0;
    private static final byte DEFAULT = 1;
    private static final byte ANY = 2;
    private static final List<String> RATES = List.of("producer_byte_rate", "consumer_byte_rate");
    private static final double[] PERCENTAGES = {
        -1,
        -0.0,
        0,
        1e-9,
        0.01,
        0.1,
        12.5,
        100,
        3_200,
        1e6,
        1e300,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };
    private static final double[] BYTES = {
        -1, 0, 0.5, 1, 1.000_000_1, 1e15, 9.3e18, Double.NaN, Double.POSITIVE_INFINITY
    };
    /** Entity whose quota counts the changes: a broker shows them in order, some time after they are answered. */
    private static final List<EntityData> MARKER = List.of(part(CLIENT_ID, "marker"));

    private final RawClient client;
    private final List<String> lines = new ArrayList<>();
    private int changes;

    private QuotaScript(int port) throws IOException {
        client = new RawClient(port);
    }

    /** Lines of the server at this port, which has no quotas. */
    static List<String> play(int port) throws Exception {
        try (QuotaScript script = new QuotaScript(port)) {
            script.values();
            script.keys();
            script.entities();
            script.requests();
            script.filters();
            return script.lines;
        }
    }

    /** Keeps Apache Kafka's lines for {@link QuotaAnswersTest}. Takes Kafka's port and the file. */
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            admin.describeCluster().nodes().get(60, TimeUnit.SECONDS); // it starts
        }
        Files.write(Path.of(args[1]), play(port));
    }

    private void values() throws Exception {
        for (List<EntityData> entity : List.of(
                List.of(part(USER, "alice")),
                List.of(part(USER, null)),
                List.of(part(CLIENT_ID, "app")),
                List.of(part(CLIENT_ID, null)),
                List.of(part(USER, "alice"), part(CLIENT_ID, "app")),
                List.of(part(USER, "alice"), part(CLIENT_ID, null)),
                List.of(part(USER, null), part(CLIENT_ID, "app")),
                List.of(part(USER, null), part(CLIENT_ID, null)))) {
            for (double percentage : PERCENTAGES) {
                line(false, entry(entity, set(TIME, percentage)));
            }
        }
        for (String rate : RATES) {
            for (double bytes : BYTES) {
                line(false, entry(List.of(part(USER, "alice")), set(rate, bytes)));
            }
        }
    }

    private void keys() throws Exception {
        for (EntityData of : List.of(part(USER, "alice"), part(CLIENT_ID, "app"))) {
            for (String key : List.of(MUTATIONS, CONNECTIONS, "no_such_rate", "", TIME.toUpperCase(Locale.ROOT))) {
                line(false, entry(List.of(of), set(key, 5)));
                line(false, entry(List.of(of), remove(key)));
            }
            line(false, entry(List.of(of), remove(TIME)));
            line(false, entry(List.of(of)));
            line(false, entry(List.of(of), set(TIME, 5), set(RATES.getFirst(), 100)));
            line(false, entry(List.of(of), set(TIME, 5), set(RATES.getFirst(), -1)));
            line(false, entry(List.of(of), set(RATES.getFirst(), 100), set("no_such_rate", 1)));
        }
    }

    private void entities() throws Exception {
        for (List<EntityData> odd : List.of(
                List.<EntityData>of(),
                List.of(part("planet", "mars")),
                List.of(part(USER, "")),
                List.of(part(CLIENT_ID, "")),
                List.of(part("", "alice")),
                List.of(part(IP, "10.0.0.1")),
                List.of(part(IP, null)),
                List.of(part(IP, "no address")),
                List.of(part(IP, "10.0.0.1"), part(USER, "alice")),
                List.of(part(USER, "alice"), part("planet", "mars")),
                List.of(part(USER, "a".repeat(600))),
                List.of(part(USER, "a\u0001b")),
                List.of(part(USER, "<default>")),
                List.of(part(USER, "a/b=c,d%20 e")))) {
            line(false, entry(odd, set(TIME, 5)));
            line(false, entry(odd, set(CONNECTIONS, 5)));
        }
    }

    private void requests() throws Exception {
        List<EntityData> alice = List.of(part(USER, "alice"));
        List<EntityData> bob = List.of(part(USER, "bob"));
        line(true, entry(alice, set(TIME, 5)));
        line(true, entry(alice, set(TIME, 0)));
        line(true, entry(alice, set("no_such_rate", 5)));
        line(true, entry(alice, remove(TIME)));
        line(false);
        line(false, entry(alice, set(TIME, 5)), entry(bob, set(TIME, 6)));
        line(false, entry(alice, set(TIME, -5)), entry(bob, set(TIME, 6)));
        line(true, entry(alice, set(TIME, -5)), entry(bob, set(TIME, 6)));
    }

    private void filters() throws Exception {
        List<EntityData> all =
                List.of(part(USER, "alice"), part(USER, null), part(CLIENT_ID, "app"), part(CLIENT_ID, null));
        List<EntryData> set = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            set.add(entry(List.of(all.get(i)), set(TIME, i + 1)));
        }
        set.add(entry(List.of(all.get(0), all.get(2)), set(TIME, 12.5), set(RATES.getFirst(), 100)));
        set.add(entry(List.of(all.get(1), all.get(3)), set(TIME, 99)));
        alter(false, set);
        awaitShown();
        for (boolean strict : new boolean[] {false, true}) {
            for (List<ComponentData> parts : List.of(
                    List.<ComponentData>of(),
                    List.of(match(USER, EXACT, "alice")),
                    List.of(match(USER, DEFAULT, null)),
                    List.of(match(USER, ANY, null)),
                    List.of(match(CLIENT_ID, EXACT, "app")),
                    List.of(match(CLIENT_ID, ANY, null)),
                    List.of(match(USER, EXACT, "alice"), match(CLIENT_ID, ANY, null)),
                    List.of(match(USER, ANY, null), match(CLIENT_ID, DEFAULT, null)),
                    List.of(match(USER, EXACT, "alice"), match(USER, ANY, null)),
                    List.of(match(USER, EXACT, null)),
                    List.of(match(USER, EXACT, "")),
                    List.of(match(USER, DEFAULT, "alice")),
                    List.of(match(USER, ANY, "alice")),
                    List.of(match(USER, (byte) 7, "alice")),
                    List.of(match("planet", ANY, null)),
                    List.of(match("", ANY, null)),
                    List.of(match(IP, ANY, null)),
                    List.of(match(IP, ANY, null), match(USER, ANY, null)))) {
                lines.add("describe " + (strict ? "only " : "") + text(parts) + ARROW + describe(parts, strict));
            }
        }
        removeAll();
    }

    private static String text(List<ComponentData> parts) {
        StringBuilder text = new StringBuilder("[");
        for (ComponentData part : parts) {
            text.append(part.entityType())
                    .append(' ')
                    .append(part.matchType())
                    .append(' ')
                    .append(part.match())
                    .append(", ");
        }
        return text + "]";
    }

    // ---- requests ----

    private static EntityData part(String type, @Nullable String name) {
        return new EntityData().setEntityType(type).setEntityName(name);
    }

    private static OpData set(String key, double value) {
        return new OpData().setKey(key).setValue(value);
    }

    private static OpData remove(String key) {
        return new OpData().setKey(key).setRemove(true);
    }

    private static EntryData entry(List<EntityData> entity, OpData... ops) {
        return new EntryData()
                .setEntity(entity.stream().map(EntityData::duplicate).toList())
                .setOps(List.of(ops));
    }

    private static ComponentData match(String type, byte how, @Nullable String name) {
        return new ComponentData().setEntityType(type).setMatchType(how).setMatch(name);
    }

    private void line(boolean validateOnly, EntryData... entries) throws Exception {
        StringBuilder line = new StringBuilder(validateOnly ? "validate" : "alter");
        for (EntryData entry : entries) {
            line.append(' ').append(text(entry));
        }
        line.append(ARROW).append(alter(validateOnly, List.of(entries)));
        awaitShown();
        lines.add(line + ", " + describe(List.of(), false));
        removeAll();
    }

    private static String text(EntryData entry) {
        StringBuilder text = new StringBuilder("{");
        for (EntityData part : entry.entity()) {
            text.append(name(part.entityType(), part.entityName())).append(' ');
        }
        for (OpData op : entry.ops()) {
            text.append(op.key()).append(op.remove() ? " removed " : "=" + op.value() + " ");
        }
        return text.toString().strip() + "}";
    }

    /** Long names in short, and no control characters. */
    private static String name(String type, @Nullable String name) {
        String shown = name == null ? "<null>" : name.replace('\u0001', '^');
        return type + ":" + (shown.length() > 100 ? shown.charAt(0) + "..." : shown);
    }

    /** Errors of the entities. */
    private String alter(boolean validateOnly, List<EntryData> entries) throws IOException {
        var asked = new AlterClientQuotasRequestData().setEntries(entries).setValidateOnly(validateOnly);
        var answer =
                new AlterClientQuotasResponseData(client.call(ApiKeys.ALTER_CLIENT_QUOTAS, VERSION, asked), VERSION);
        TreeSet<String> errors = new TreeSet<>();
        for (var each : answer.entries()) {
            TreeSet<String> entity = new TreeSet<>();
            each.entity().forEach(part -> entity.add(name(part.entityType(), part.entityName())));
            errors.add(String.join(" ", entity) + ' ' + Errors.forCode(each.errorCode()));
        }
        return errors.toString();
    }

    private DescribeClientQuotasResponseData ask(List<ComponentData> parts, boolean strict) throws IOException {
        var asked = new DescribeClientQuotasRequestData().setComponents(parts).setStrict(strict);
        return new DescribeClientQuotasResponseData(
                client.call(ApiKeys.DESCRIBE_CLIENT_QUOTAS, VERSION, asked), VERSION);
    }

    private String describe(List<ComponentData> parts, boolean strict) throws IOException {
        DescribeClientQuotasResponseData answer = ask(parts, strict);
        if (answer.errorCode() != Errors.NONE.code()) {
            return Errors.forCode(answer.errorCode()).name();
        }
        TreeMap<String, String> shown = new TreeMap<>();
        for (var entry : answer.entries()) {
            TreeSet<String> entity = new TreeSet<>();
            entry.entity().forEach(part -> entity.add(name(part.entityType(), part.entityName())));
            TreeMap<String, Double> values = new TreeMap<>();
            entry.values().forEach(value -> values.put(value.key(), value.value()));
            if (!entity.equals(new TreeSet<>(List.of(name(CLIENT_ID, "marker"))))) {
                shown.put(entity.toString(), values.toString());
            }
        }
        return shown.toString();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }

    private void awaitShown() throws IOException {
        double mark = ++changes;
        alter(false, List.of(entry(MARKER, set(RATES.getFirst(), mark))));
        List<ComponentData> marker = List.of(match(CLIENT_ID, EXACT, "marker"));
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (ask(marker, true).entries().stream()
                .noneMatch(entry -> entry.values().getFirst().value() == mark)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("a change of quotas is not shown");
            }
        }
    }

    private void removeAll() throws IOException {
        List<EntryData> gone = new ArrayList<>();
        for (var entry : ask(List.of(), false).entries()) {
            gone.add(entry(
                    entry.entity().stream()
                            .map(part -> part(part.entityType(), part.entityName()))
                            .toList(),
                    entry.values().stream().map(value -> remove(value.key())).toArray(OpData[]::new)));
        }
        alter(false, gone);
        awaitShown();
    }
}
