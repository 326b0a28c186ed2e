package io.sluice.broker.scalable;

import io.sluice.broker.MapMetadata;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Durable;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A scalable topic that splits and merges under its clients, and was a classic one at first in every second run, with a crash at any step
 * of a change and of what finishes it after a crash; and with answers of segments that come too late. Everything is on one thread, and {@link SplitSimClients} do something between
 * any two steps.
 */
final class SplitSim implements AutoCloseable {
    private static final TopicName NAME = TopicName.ofDefault("s");

    private final Random random;
    private final SplitSimBug bug;
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final MapMetadata stored = new MapMetadata();
    private final SimPlaces places;
    private final SimSteps steps;
    private final SplitSimClients clients;
    private final Map<Long, Parsed> names = new HashMap<>();
    private final Set<String> crashes = new TreeSet<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    /** Of a classic topic; {@link ScalableTopic#NOT_CLASSIC} if it is a scalable one from the beginning. */
    private final int partitions;
    /** What clients that know scalable topics see of it before it is one. */
    private final ScalableTopic classic;

    private final boolean hasOther;
    /** Where producers were refused because it is terminated. */
    private final Set<TopicName> refusing = new HashSet<>();

    /** In every third run. */
    private final @Nullable SplitSimNode other;

    private Metadata.@Nullable Versioned lastFound;
    private @Nullable ScalableTopic lastTopic;

    private ScalableTopics topics;
    private UUID incarnation = new UUID(1, 0);
    private boolean suspects;
    /** Whether the other node runs now, and not this one. */
    private boolean inOther;
    /** Whether one of them runs between two steps of the other. */
    private boolean isNested;

    private boolean changing;
    private boolean failing;
    private int failures;
    private boolean running;
    /** Steps until the next crash; 0 for none. */
    private int until;

    private String change = "create";
    private String step = "";
    private int changes;

    /** Everything that is in memory is gone. */
    private static final class Crash extends Error {}

    SplitSim(long seed, SplitSimBug bug) throws TopicException, IOException {
        this.random = new Random(seed);
        this.hasOther = seed % 3 == 0 || bug.isOfTwoNodes();
        this.bug = bug;
        this.places = new SimPlaces(random, now::get, () -> event("while waiting in", step));
        this.steps = new SimSteps(places, bug, name -> event(name, ""));
        this.topics = load();
        this.other = hasOther ? new SplitSimNode(NAME, random, stored, steps, now::get, this::isEarlier) : null;
        this.partitions = seed % 2 == 0 ? ScalableTopic.NOT_CLASSIC : (int) (seed / 2 % 4);
        ScalableGraph graph = ScalableGraph.first(Math.max(1, partitions), now.get());
        this.classic = new ScalableTopic(NAME, now.get(), Map.of(), Map.of(), partitions, graph);
        ScalableTopic topic = classic;
        if (partitions == ScalableTopic.NOT_CLASSIC) {
            topic = topics.create(NAME, 1 + random.nextInt(3), Map.of()).join();
        } else {
            graph.all().forEach(s -> places.make(classic.place(s)));
        }
        for (ScalableSegment s : topic.graph().all()) {
            Objects.requireNonNull(places.find(topic.place(s)))
                    .subscriptions()
                    .create(SplitSimClients.SUBSCRIPTION, 0, Map.of("a", "b"), Durable.IGNORED);
        }
        places.drain();
        this.clients = new SplitSimClients(
                random,
                bug,
                this::topic,
                this::logOf,
                this::subscribe,
                this::work,
                segment -> refusing.add(topic().segmentName(segment)));
        running = true;
        failing = true;
    }

    private ScalableTopics load() throws IOException {
        incarnation = new UUID(1, incarnation.getLeastSignificantBits() + 1);
        ChangeOwners owners = new SplitSimNode.Owners(new ChangeOwner(1, incarnation), this::isEarlier, () -> suspects);
        return ScalableTopics.load(
                crashing(stored), steps, now::get, this::inTurn, hasOther ? owners : ChangeOwners.ALONE);
    }

    private boolean isEarlier(ChangeOwner process) {
        return process.node() == 1 && !process.incarnation().equals(incarnation);
    }

    /** Between two steps of one node the other one may do something, whole. */
    private void otherwise() {
        if (other == null || isNested || !failing || inOther && changing || random.nextInt(10) > 0) {
            return;
        }
        isNested = true;
        boolean was = inOther;
        inOther = !was;
        try {
            if (inOther) {
                other.some();
            } else {
                suspects = random.nextInt(3) == 0;
                change = "nested";
                if (random.nextBoolean()) {
                    finishLeft();
                } else {
                    reshape();
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            isNested = false;
            inOther = was;
        }
    }

    private void otherFirst() throws IOException {
        if (other == null) {
            return;
        }
        inOther = true;
        try {
            for (int turns = random.nextInt(6); turns > 0; turns--) {
                other.some();
            }
        } finally {
            inOther = false;
        }
    }

    /** Everything is on one thread, so who would wait for the topic's lock comes later. */
    private void inTurn(Runnable task) {
        waiting.add(task);
        for (Runnable next = nextInTurn(); next != null; next = nextInTurn()) {
            alone(next);
        }
    }

    private @Nullable Runnable nextInTurn() {
        return changing ? null : waiting.poll();
    }

    private void alone(Runnable task) {
        changing = true;
        try {
            task.run();
        } finally {
            changing = false;
        }
    }

    private CompletableFuture<?> subscribe(ScalableSegment segment, String name) {
        Parsed of = topic().place(segment);
        if (topics.find(NAME) == null) {
            return subscribeAlone(of, name);
        }
        return switch (bug) {
            case SUBSCRIBED_BESIDE_A_CHANGE -> subscribeAlone(of, name);
            case SUBSCRIBED_ON_THE_SEALED_ONLY ->
                topics.<Boolean>unchanged(NAME, at -> {
                    steps.subscribe(of, name, Map.of(), SubscriptionStart.END);
                    return true;
                });
            default -> topics.subscriptions().create(of, name, Map.of(), SubscriptionStart.END);
        };
    }

    private CompletableFuture<?> subscribeAlone(Parsed of, String name) {
        PartitionLog log = Objects.requireNonNull(places.find(of));
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        long start = SubscriptionStart.END.applyAsLong(log);
        log.subscriptions()
                .create(
                        name,
                        start,
                        Map.of(),
                        Durable.of(
                                () -> done.complete(true),
                                why -> done.completeExceptionally(TopicException.unavailable(why.message()))));
        return done;
    }

    private ScalableTopic topic() {
        ScalableTopic shown = hasOther ? storedTopic() : topics.find(NAME);
        if (shown == null && partitions == ScalableTopic.NOT_CLASSIC) {
            throw new AssertionError("the topic is not there");
        }
        return shown == null ? classic : shown;
    }

    /** With two nodes clients ask again at the other one until both show the same. */
    private @Nullable ScalableTopic storedTopic() {
        Metadata.Versioned found = stored.get(TopicPath.of(ScalableRecords.ROOT, NAME));
        if (found != lastFound) {
            lastFound = found;
            lastTopic = found == null
                    ? null
                    : ScalableTopicRecord.decode(found.value()).shown();
        }
        return lastTopic;
    }

    /** Of one that is or was shown. */
    private @Nullable PartitionLog logOf(ScalableSegment shown) {
        return places.find(names.computeIfAbsent(shown.id(), id -> topic().place(shown)));
    }

    private Metadata crashing(Metadata metadata) {
        return (Metadata) Proxy.newProxyInstance(
                SplitSim.class.getClassLoader(), new Class<?>[] {Metadata.class}, (proxy, method, arguments) -> {
                    boolean writes = method.getName().startsWith("put");
                    if (writes) {
                        event("before put", "");
                    }
                    boolean fails = writes && fails();
                    if (fails && random.nextBoolean()) {
                        throw new IOException("the metadata store did not answer, and nothing is written");
                    }
                    Metadata.Versioned there =
                            bug == SplitSimBug.WRITES_WHATEVER_IS_THERE && arguments[0] instanceof String path
                                    ? metadata.get(path)
                                    : null;
                    if (there != null && writes) {
                        arguments[2] = there.version();
                    } else if (there != null && method.getName().equals("get")) {
                        return new Metadata.Versioned(there.value(), 1);
                    }
                    Object result;
                    try {
                        result = method.invoke(metadata, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (writes) {
                        event("after put", "");
                    }
                    if (fails) {
                        throw new IOException("the metadata store did not answer, and it is written");
                    }
                    return result;
                });
    }

    private boolean fails() {
        boolean fails = failing && random.nextInt(12) == 0;
        failures += fails ? 1 : 0;
        return fails;
    }

    /** Writes of the metadata that were not answered. */
    int failures() {
        return failures;
    }

    private void work() {
        places.work();
        if (!failing && bug == SplitSimBug.NONE) { // else it mends what the planted bug leads to
            Set<TopicName> now = Set.copyOf(refusing);
            refusing.clear();
            now.forEach(topics::goOnAfter);
        }
    }

    /** Goes on with what was cut short, as the server does every few seconds. */
    private void finishLeft() {
        if (bug != SplitSimBug.NEVER_TRIED_AGAIN) {
            topics.finishLeft();
        }
    }

    /** Clients do something; then there may be a crash. */
    private void event(String name, String of) {
        if (!running) {
            return;
        }
        if (of.isEmpty()) {
            step = name.replace("before ", "").replace("after ", "");
        }
        clients.some();
        otherwise();
        if (!inOther && !isNested && until > 0 && --until == 0) {
            crashes.add(change + ": " + name + (of.isEmpty() ? "" : " " + of));
            throw new Crash();
        }
    }

    void run(int rounds) throws IOException {
        for (int round = 0; round < rounds; round++) {
            now.addAndGet(random.nextInt(100_000));
            for (int turns = random.nextInt(20); turns > 0; turns--) {
                clients.some();
                places.work();
            }
            otherFirst();
            boolean once = topic().graph().active().stream().anyMatch(classic::isClassic);
            until = !once && random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(60);
            try {
                reshape();
                change = "clean";
                until = random.nextBoolean() ? 0 : 1 + random.nextInt(12);
                if (random.nextBoolean()) {
                    alone(topics::removeSpent);
                }
                if (random.nextBoolean()) {
                    finishLeft();
                }
                until = 0;
            } catch (Crash e) {
                recover();
            }
        }
        until = 0;
        change = "end";
        failing = false;
        suspects = false;
        places.release();
        if (other != null) {
            other.calm(bug != SplitSimBug.MISSED_CHANGES_UNTOLD);
        }
        for (int tries = 0; topics.interruptedChanges() > 0 || isInChange(); tries++) {
            if (tries == 1_000) {
                throw new AssertionError("a change is never finished");
            }
            finishLeft();
            if (other != null) {
                inOther = true;
                other.finishLeft();
                inOther = false;
            }
        }
        inTurn(() -> {}); // and all that waits
        checkNothingIsForgotten();
        clients.finish(20_000);
        if (clients.readAll(2_000)) {
            clean();
        }
        checkSegments();
    }

    /** Sealed segments of which nothing is left are nowhere any more. */
    private void clean() throws IOException {
        now.addAndGet(SpentSegments.SEALED_MIN_VISIBLE.toMillis());
        for (int tries = 0;
                topic().graph().all().size() > topic().graph().active().size();
                tries++) {
            if (tries == 1_000) {
                throw new AssertionError(
                        "sealed segments stay: " + topic().graph().all());
            }
            alone(topics::removeSpent);
            finishLeft();
            finishLeft();
        }
        finishLeft();
    }

    private void checkNothingIsForgotten() {
        Metadata.Versioned found = stored.get(TopicPath.of(ScalableRecords.ROOT, NAME));
        ScalableTopicRecord record = found == null ? null : ScalableTopicRecord.decode(found.value());
        ScalableTopic settled = record == null ? null : record.topic();
        if (record != null && !record.isSettled() || !Objects.equals(settled, topics.find(NAME))) {
            throw new AssertionError("stored is " + record + ", and shown is " + topics.find(NAME));
        }
        if (other != null && !Objects.equals(settled, other.shown())) {
            throw new AssertionError("stored is " + record + ", and the other node shows " + other.shown());
        }
    }

    /** Of a change that the one node has begun the other does not count. */
    private boolean isInChange() {
        Metadata.Versioned found = stored.get(TopicPath.of(ScalableRecords.ROOT, NAME));
        return other != null
                && found != null
                && !ScalableTopicRecord.decode(found.value()).isSettled();
    }

    private int left() throws IOException {
        changing = true;
        try {
            return topics.finishInterrupted();
        } finally {
            changing = false;
        }
    }

    private void reshape() {
        if (topic().graph().active().stream().anyMatch(classic::isClassic)) {
            change = "migrate";
            await(topics.migrate(NAME, partitions));
            return;
        }
        List<ScalableSegment> active = topic().graph().active();
        int at = random.nextInt(active.size());
        CompletableFuture<ScalableTopic> done;
        if (at > 0 && (random.nextBoolean() || active.size() > 6)) {
            change = "merge";
            done = topics.merge(NAME, active.get(at).id(), active.get(at - 1).id());
        } else if (random.nextInt(4) == 0) {
            change = "renew";
            done = topics.renew(NAME, active.get(at).id());
        } else if (active.size() < 8) {
            change = "split";
            done = topics.split(NAME, active.get(at).id());
        } else {
            return;
        }
        await(done);
    }

    private void await(CompletableFuture<ScalableTopic> done) {
        try {
            done.join();
            changes++;
        } catch (CompletionException e) {
            // the change before may have been finished first, and then those to change are not active any more
            if (!(e.getCause() instanceof TopicException why)
                    || (why.reason() != Reason.UNAVAILABLE
                            && why.reason() != Reason.INVALID_SEGMENT
                            && why.reason() != Reason.ALREADY_EXISTS)) {
                throw new AssertionError("a change was refused", e);
            }
        }
    }

    /** Until a start is not cut short. */
    private void recover() throws IOException {
        while (true) {
            places.crash();
            topics.close();
            waiting.clear();
            clients.crashed();
            until = 0;
            topics = load();
            clients.some();
            until = random.nextBoolean() ? 1 + random.nextInt(random.nextBoolean() ? 8 : 40) : 0;
            change = "start";
            try {
                left();
                until = 0;
                return;
            } catch (Crash again) {
                // and again
            }
        }
    }

    private void checkSegments() {
        ScalableTopic topic = topic();
        Set<String> shown = topic.graph().all().stream()
                .filter(s -> !topic.isClassic(s))
                .map(s -> topic.segmentName(s).local())
                .collect(Collectors.toSet());
        if (topic.graph().all().stream().anyMatch(topic::isClassic)) {
            // they go together
            classic.graph().all().forEach(s -> shown.add(SimPlaces.key(classic.place(s))));
        }
        // Children of a node that was taken for dead, went on, and died may stay: they are empty.
        boolean known = hasOther ? places.names().containsAll(shown) : shown.equals(places.names());
        if (!known) {
            throw new AssertionError("there are the segments " + places.names() + ", and shown are " + shown);
        }
    }

    int changes() {
        return changes;
    }

    /** By the other node. */
    int otherChanges() {
        return other == null ? 0 : other.changes();
    }

    /** Connections that the other node lost. */
    int losses() {
        return other == null ? 0 : other.losses();
    }

    int lateSubscriptions() {
        return clients.lateSubscriptions();
    }

    int transactions() {
        return clients.transactions();
    }

    int messages() {
        return clients.messages();
    }

    /** Steps at which there was a crash. */
    Set<String> crashes() {
        return crashes;
    }

    @Override
    public void close() {
        topics.close();
        if (other != null) {
            other.close();
        }
        places.close();
    }
}
