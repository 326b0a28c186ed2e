package io.sluice.kafka.transaction.scripts;

import io.sluice.kafka.transaction.scripts.Requests.Member;
import io.sluice.kafka.transaction.scripts.Requests.Producer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.DescribeProducersResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.jspecify.annotations.Nullable;

/**
 * A script that a seed makes up: two transactional ids, two partitions, two groups; what clients of both protocols do in transactions, and
 * what they must not: producers that are fenced, not yet born or strangers, ids that nobody has, sequences that do not follow, members
 * that are none, markers from outside. The choices are the seed's alone, so that the same script is played anywhere; what is asked of a producer
 * is asked of what the server answered before. Before each step the server has done what it does by itself.
 */
final class TransactionScript {
    private static final Producer STRANGER = new Producer(987_654_321L, (short) 0);
    private static final int TIMEOUT = 60_000;
    private static final List<Integer> BOTH = List.of(0, 1);

    private final ScriptClient client;
    private final Random random;
    private final String prefix;
    private final String topic;
    private final Observations observations;
    private final Wording wording;
    private final int protocol;
    private final Map<String, List<Producer>> told = new HashMap<>();
    private final Map<Producer, int[]> sequences = new HashMap<>();
    private final Member member;
    private int written;

    /**
     * @param prefix of all names, by which scripts do not meet
     * @param topic which exists, with two partitions
     */
    TransactionScript(ScriptClient client, String prefix, String topic, long seed) throws IOException {
        this.client = client;
        this.random = new Random(seed);
        this.prefix = prefix;
        this.topic = topic;
        this.wording = new Wording(prefix);
        this.protocol = random.nextInt(3);
        this.observations = new Observations(client, wording, topic);
        this.member = new GroupMember(client, prefix + "members").join(topic);
    }

    List<String> run(int steps) throws IOException {
        List<String> lines = new ArrayList<>();
        boolean expires = random.nextInt(3) == 0;
        lines.add(init(prefix + "a", TIMEOUT));
        lines.add(init(prefix + "b", TIMEOUT));
        for (int step = 0; step < steps; step++) {
            observations.awaitSettled(List.of(prefix + "a", prefix + "b"));
            lines.add(expires && step == steps / 2 ? expire() : next());
        }
        return lines;
    }

    private String next() throws IOException {
        int choice = random.nextInt(100);
        if (choice < 12) {
            return init(id(), random.nextInt(8) == 0 ? random.nextInt(-1, 2) * 1_000_000 : TIMEOUT);
        } else if (choice < 34) {
            return produce();
        } else if (choice < 44) {
            return chance(70) ? add() : addMany();
        } else if (choice < 49) {
            return addOffsets();
        } else if (choice < 59) {
            return commitOffset();
        } else if (choice < 79) {
            return end();
        } else if (choice < 81) {
            return mark();
        } else if (choice < 84) {
            return list();
        }
        return observations.observe(
                random.nextInt(6),
                List.of(prefix + "a", prefix + "b", prefix + "nobody", ""),
                List.of(prefix + "group", prefix + "members"));
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private String id() {
        int choice = random.nextInt(100);
        return choice < 60 ? prefix + "a" : choice < 95 ? prefix + "b" : choice < 98 ? prefix + "nobody" : "";
    }

    private Producer producer(String id) {
        List<Producer> mine = told.getOrDefault(id, List.of());
        int choice = random.nextInt(100);
        int older = random.nextInt(4);
        if (choice < 4 || mine.isEmpty()) {
            return STRANGER;
        } else if (choice < 8) {
            return told.values().iterator().next().getLast();
        } else if (choice < 14) {
            return mine.getLast().later(1);
        } else if (choice < 26) {
            return mine.get(Math.max(0, mine.size() - 2 - older));
        }
        return mine.getLast();
    }

    private int version(int first, int second, int newest) {
        return switch (protocol) {
            case 0 -> random.nextInt(first, second);
            case 1 -> random.nextInt(second, newest + 1);
            default -> random.nextInt(first, newest + 1);
        };
    }

    private String words(Producer producer) {
        return producer == STRANGER ? "stranger" : wording.producer(producer.id()) + "/" + producer.epoch();
    }

    private String line(String asked, @Nullable AbstractResponse answer) {
        return asked.replace(prefix, "") + " -> " + (answer == null ? "disconnected" : wording.of(answer.data()));
    }

    private String init(String id, int timeout) throws IOException {
        int version = version(1, 4, 6);
        Producer last = version >= 3 && chance(40) ? producer(id) : null;
        var asked = Requests.init(id, timeout, last);
        boolean prepared = version >= 6 && chance(20);
        boolean enabled = version >= 6 && chance(20);
        if (version >= 6) {
            asked.setKeepPreparedTxn(prepared).setEnable2Pc(enabled);
        }
        AbstractResponse answer = client.call(ApiKeys.INIT_PRODUCER_ID, version, asked);
        if (answer != null && answer.data() instanceof InitProducerIdResponseData init && init.errorCode() == 0) {
            tell(id, new Producer(init.producerId(), init.producerEpoch()));
        }
        String more = (last == null ? "" : " as " + words(last)) + (prepared ? " keep" : "") + (enabled ? " 2pc" : "");
        return line("init v%d %s %d%s".formatted(version, id, timeout, more), answer);
    }

    private void tell(String id, Producer producer) {
        told.computeIfAbsent(id, first -> new ArrayList<>()).add(producer);
    }

    private String produce() throws IOException {
        String id = id();
        Producer producer = producer(id);
        int version = version(9, 12, 12);
        int partition = chance(3) ? 7 : random.nextInt(2);
        boolean transactional = !chance(5);
        boolean named = !chance(5);
        int[] next = sequences.computeIfAbsent(producer, unused -> new int[8]);
        int choice = random.nextInt(100);
        int sequence =
                choice < 4 ? next[partition] + 3 : choice < 10 ? Math.max(0, next[partition] - 1) : next[partition];
        boolean zero = chance(5);
        sequence = zero ? 0 : sequence;
        var batch = Requests.batch(producer, transactional, sequence, "v" + written++);
        AbstractResponse answer =
                client.call(ApiKeys.PRODUCE, version, Requests.produce(named ? id : null, topic, partition, batch));
        if (answer != null && answer.errorCounts().containsKey(Errors.NONE) && sequence == next[partition]) {
            next[partition]++;
        }
        String how = (transactional ? "" : " plain") + (named ? "" : " without id");
        return line(
                "produce v%d %s %s to %d at %d%s".formatted(version, id, words(producer), partition, sequence, how),
                answer);
    }

    private String add() throws IOException {
        String id = id();
        Producer producer = producer(id);
        int version = random.nextInt(4);
        List<Integer> partitions = chance(5) ? List.of(0, 7) : chance(50) ? BOTH : List.of(random.nextInt(2));
        String to = chance(95) ? topic : prefix + "nowhere";
        AbstractResponse answer =
                client.call(ApiKeys.ADD_PARTITIONS_TO_TXN, version, Requests.add(id, producer, to, partitions));
        String where = to.equals(topic) ? "" : " of nowhere";
        return line("add v%d %s %s %s%s".formatted(version, id, words(producer), partitions, where), answer);
    }

    private String addMany() throws IOException {
        int version = random.nextInt(4, 6);
        var asked = new AddPartitionsToTxnRequestData();
        StringBuilder words = new StringBuilder("add v" + version);
        for (String id : List.of(prefix + "a", prefix + "b")) {
            Producer producer = producer(id);
            boolean verify = chance(50);
            List<Integer> partitions = chance(50) ? BOTH : List.of(random.nextInt(2));
            asked.transactions().add(Requests.added(id, producer, topic, partitions, verify));
            words.append(verify ? " verify " : " ")
                    .append(id)
                    .append(" ")
                    .append(words(producer))
                    .append(partitions);
        }
        return line(words.toString(), client.call(ApiKeys.ADD_PARTITIONS_TO_TXN, version, asked));
    }

    private String addOffsets() throws IOException {
        String id = id();
        Producer producer = producer(id);
        int version = random.nextInt(5);
        String group = chance(70) ? prefix + "group" : chance(80) ? prefix + "members" : "";
        AbstractResponse answer =
                client.call(ApiKeys.ADD_OFFSETS_TO_TXN, version, Requests.addOffsets(id, producer, group));
        return line("add offsets v%d %s %s %s".formatted(version, id, words(producer), group), answer);
    }

    private String commitOffset() throws IOException {
        String id = id();
        Producer producer = producer(id);
        int version = version(2, 5, 5);
        boolean ofMembers = chance(50);
        String group = prefix + (ofMembers ? "members" : "group");
        int choice = version < 3 ? 0 : random.nextInt(6);
        Member as = switch (choice) {
            case 0 -> Member.NOBODY;
            case 1 -> new Member("nobody", 1);
            case 2 -> new Member(member.id(), member.generation() + 1);
            case 3 -> new Member(member.id(), -1);
            default -> ofMembers ? member : Member.NOBODY;
        };
        int partition = random.nextInt(2);
        long offset = random.nextInt(-1, 40);
        AbstractResponse answer = client.call(
                ApiKeys.TXN_OFFSET_COMMIT, version, Requests.commit(id, producer, group, as, topic, partition, offset));
        String who = as == Member.NOBODY
                ? ""
                : " as " + (as.id().equals(member.id()) ? "member" : as.id()) + "/" + as.generation();
        return line(
                "commit v%d %s %s %s %d at %d%s".formatted(version, id, words(producer), group, partition, offset, who),
                answer);
    }

    private String end() throws IOException {
        String id = id();
        Producer producer = producer(id);
        int version = version(0, 5, 5);
        boolean commit = chance(60);
        AbstractResponse answer = client.call(ApiKeys.END_TXN, version, Requests.end(id, producer, commit));
        if (version >= 5
                && answer != null
                && answer.data() instanceof EndTxnResponseData ended
                && ended.errorCode() == 0) {
            tell(id, new Producer(ended.producerId(), ended.producerEpoch()));
        }
        return line("%s v%d %s %s".formatted(commit ? "commit" : "abort", version, id, words(producer)), answer);
    }

    /**
     * As the tool does that ends what hangs; of producers that there are. After a marker of an epoch that nobody has been given Kafka's
     * coordinator stands still.
     */
    private String mark() throws IOException {
        List<Producer> mine = told.getOrDefault(prefix + "a", List.of(STRANGER));
        Producer producer = mine.get(random.nextInt(mine.size()));
        int partition = chance(10) ? 7 : random.nextInt(2);
        boolean commit = chance(30);
        int coordinator = 0;
        AbstractResponse described =
                client.call(ApiKeys.DESCRIBE_PRODUCERS, 0, Requests.producers(topic, List.of(partition)));
        if (described != null && described.data() instanceof DescribeProducersResponseData found) {
            coordinator = found.topics().getFirst().partitions().getFirst().activeProducers().stream()
                    .filter(state -> state.producerId() == producer.id())
                    .mapToInt(state -> Math.max(0, state.coordinatorEpoch()))
                    .findFirst()
                    .orElse(0);
        }
        AbstractResponse answer = client.call(
                ApiKeys.WRITE_TXN_MARKERS,
                1,
                Requests.marker(producer, coordinator, commit, topic, List.of(partition)));
        return line("mark %s %d %s".formatted(words(producer), partition, commit ? "commit" : "abort"), answer);
    }

    private String list() throws IOException {
        int version = random.nextInt(3);
        var asked = new ListTransactionsRequestData();
        String filter = "";
        if (chance(60)) {
            List<String> states = new ArrayList<>(
                    List.of("Empty", "Ongoing", "CompleteCommit", "CompleteAbort", "Dead", "Sleeping", "ongoing"));
            java.util.Collections.shuffle(states, random);
            asked.setStateFilters(states.subList(0, 1 + random.nextInt(3)));
            filter += " " + asked.stateFilters();
        }
        Producer producer = producer(prefix + "a");
        if (chance(30)) {
            asked.setProducerIdFilters(List.of(producer.id()));
            filter += " of " + words(producer);
        }
        long duration = random.nextInt(3) == 0 ? 1_000_000_000L : random.nextInt(2) - 1;
        if (version >= 1) {
            asked.setDurationFilter(duration);
            filter += " for " + duration;
        }
        if (version >= 2) {
            String pattern = List.of(".*a", prefix + "b", "(", "", ".").get(random.nextInt(5));
            asked.setTransactionalIdPattern(pattern);
            filter += " like " + pattern;
        }
        AbstractResponse answer = client.call(ApiKeys.LIST_TRANSACTIONS, version, asked);
        if (answer != null && answer.data() instanceof ListTransactionsResponseData all) {
            all.transactionStates().removeIf(state -> !state.transactionalId().startsWith(prefix));
        }
        return line("list v%d%s".formatted(version, filter), answer);
    }

    /** A transaction that its producer forgets. */
    private String expire() throws IOException {
        String id = prefix + "a";
        ApiMessage asked = Requests.init(id, 300, null);
        AbstractResponse init = client.call(ApiKeys.INIT_PRODUCER_ID, 4, asked);
        if (init != null && init.data() instanceof InitProducerIdResponseData answer && answer.errorCode() == 0) {
            tell(id, new Producer(answer.producerId(), answer.producerEpoch()));
        }
        Producer producer = told.getOrDefault(id, List.of(STRANGER)).getLast();
        AbstractResponse added = client.call(ApiKeys.ADD_PARTITIONS_TO_TXN, 3, Requests.add(id, producer, topic, BOTH));
        var batch = Requests.batch(producer, true, 0, "v" + written++);
        AbstractResponse written = client.call(ApiKeys.PRODUCE, 11, Requests.produce(id, topic, 1, batch));
        observations.awaitNotOngoing(id);
        return line("init v4 a 300", init) + "; " + line("add v3", added) + "; " + line("produce v11", written)
                + "; expires -> " + observations.describe(List.of(id));
    }
}
