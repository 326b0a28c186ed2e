package io.sluice.store.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.netty.buffer.ByteBuf;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.container.StoredState;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierHost;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * One container, its owners and their clients, on one thread: everything that happens is an event, every choice comes
 * from the seed. A history has a stormy part, in which owners crash and are robbed of their log, and a calm one, at whose
 * end everything that was promised is read back.
 */
public final class SimWorld {
    static final int CONTAINER = 1;
    static final int MOST_APPEND_BYTES = 48 << 10;
    static final long CACHE_BYTES = 4 << 20;
    static final long MOST_CACHE_BYTES = 6 << 20;

    /** Enough for everything that was under way to end. */
    private static final int CALM_STEPS = 1_000;

    /** In which an owner must come to serve. */
    private static final int CALM_EVENTS = 100_000;

    /** Longer than any call that ends takes, and than a container waits for those that do not. */
    private static final long LONG_MICROS = 130_000_000;

    static {
        // what goes wrong here is planted, and there is a lot of it
        ((Logger) LoggerFactory.getLogger("io.sluice.store")).setLevel(Level.OFF);
    }

    private final Random random;
    /** Apart, so that other choices are what they were without it. */
    private final Random sizes;

    private final EventQueue events = new EventQueue();
    private final SimThreads threads = new SimThreads(events);
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Bug bug;
    private final boolean defersSync;
    private final SimFaults faults;
    private final InMemoryWalStore wal;
    private final InMemoryObjects objects = new InMemoryObjects();
    private final List<Checker> checkers = new ArrayList<>();
    private final List<SimOwner> owners = new ArrayList<>();
    private final ContainerConfig config;
    private final SimClient client;
    private @Nullable SimOwner newest;
    private boolean stormy = true;
    private boolean over;

    public SimWorld(long seed) {
        this(seed, Durability.DEFAULT, Bug.NONE, checker -> true);
    }

    /**
     * @param durability of the log; where it defers the disk's sync, a change of owner may come with a crash of what holds it
     * @param watching which of the checkers look on
     */
    SimWorld(long seed, Durability durability, Bug bug, Predicate<Checker> watching) {
        this.random = new Random(seed);
        this.sizes = new Random(~seed);
        this.defersSync = durability.defersSync();
        this.bug = bug;
        this.faults = new SimFaults(random, events, threads, bug);
        Metadata clients = new SimMetadata(metadata, faults);
        this.wal = bug == Bug.CHAIN_IS_NOT_READ_BACK
                ? InMemoryWalStore.withoutReadBack(faults, clients)
                : new InMemoryWalStore(faults, clients);
        this.client = new SimClient(this, random);
        this.config = config(random, durability);
        List.of(
                        new NoAcknowledgedAppendLost(this),
                        new ReadsAreWhatWasAppended(),
                        new OneWriter(client::nextAppend, defersSync),
                        new ChainIsWhole(wal, metadata),
                        new ManifestIsWhole(objects),
                        new RidersAreRebuilt(defersSync),
                        new TierIsOfferedWhatIsForced(wal, metadata))
                .stream()
                .filter(watching)
                .filter(checker -> defersSync || !(checker instanceof TierIsOfferedWhatIsForced))
                .forEach(checkers::add);
    }

    private static ContainerConfig config(Random random, Durability durability) {
        long limit = 256L << 10 << random.nextInt(4);
        int frame = 1024 << random.nextInt(5);
        return new ContainerConfig(
                new ContainerConfig.Log(frame, 1 + random.nextInt(6), frame * 4, limit / 8, limit).with(durability),
                MOST_APPEND_BYTES,
                200_000,
                100_000,
                PressureConfig.DEFAULT,
                new ReadConfig(16 << 10, 0.25));
    }

    /** Lives through {@code stormyEvents} events and then calm; throws a {@link Violation} if a checker objects. */
    public void run(int stormyEvents) {
        try {
            open();
            clientTurn();
            chaosTurn();
            steps(stormyEvents);
            stormy = false;
            faults.heal();
            calm();
        } finally {
            bringDown();
        }
    }

    /** A hash of the history. */
    public long trace() {
        return events.trace();
    }

    private void step() {
        events.step();
        if (random.nextInt(20) == 0) {
            checkers.forEach(Checker::turn);
        }
        for (SimOwner owner : owners) {
            if (random.nextInt(5) > 0) {
                owner.doWork(events.now());
            }
            if (defersSync && owner.serves()) {
                client.noteSafe(owner);
            }
            // what an owner believes that was robbed of its log does not count
            if (owner == newest && owner.serves() && random.nextInt(20) == 0) {
                checkers.forEach(each -> each.look(owner));
            }
        }
        owners.removeIf(owner -> {
            boolean gone = owner.finished() && owner != newest;
            if (gone) {
                owner.release();
            }
            return gone;
        });
    }

    private void calm() {
        long firstInCalm = client.requests().next();
        events.leap(LONG_MICROS);
        steps(CALM_STEPS);
        checkers.forEach(Checker::turn);
        SimOwner last = settledOwner();
        client.readAll(last);
        steps(CALM_STEPS);
        client.requests().expectAnswered(firstInCalm);
        client.appendsArePromised(last, this::step);
        checkers.forEach(each -> each.look(last));
        try {
            new StoredState(this::rider)
                    .check(wal.open(CONTAINER), last.container().segments(), CACHE_BYTES);
        } catch (WalException e) {
            throw new AssertionError("the log cannot be read", e);
        }
    }

    /** The one that serves once all that the storm has left behind has come to its end. */
    private SimOwner settledOwner() {
        steps(CALM_STEPS);
        for (int i = 0; i < CALM_EVENTS && !calmlyServing(); i++) {
            step();
        }
        SimOwner last = newest;
        if (last == null || !calmlyServing()) {
            throw new AssertionError("no owner comes to serve in calm: " + owners);
        }
        return last;
    }

    private void steps(int count) {
        for (int i = 0; i < count; i++) {
            step();
        }
    }

    private boolean calmlyServing() {
        return newest != null && newest.serves() && owners.stream().noneMatch(each -> each.alive() && each != newest);
    }

    private void bringDown() {
        faults.heal();
        stormy = false;
        over = true;
        for (SimOwner owner : owners) {
            owner.crash();
            owner.bury();
        }
        threads.abandonAll();
        faults.answerAll();
        for (int i = 0; i < CALM_EVENTS && !owners.stream().allMatch(SimOwner::finished); i++) {
            events.step();
            owners.forEach(owner -> owner.doWork(events.now()));
        }
        boolean down = owners.stream().allMatch(SimOwner::finished);
        owners.forEach(SimOwner::release);
        if (!down) {
            throw new AssertionError("an owner does not finish");
        }
    }

    private void clientTurn() {
        events.add(20 + random.nextInt(400), "client", () -> {
            for (SimOwner owner : owners) {
                if (owner.serves() && (owner == newest || random.nextInt(3) == 0)) {
                    client.request(owner);
                }
            }
            clientTurn();
        });
    }

    private void chaosTurn() {
        events.add(random.nextInt(40_000), "chaos", () -> {
            resizeSome();
            if (stormy && random.nextInt(3) == 0) {
                owners.stream().filter(SimOwner::serves).forEach(SimOwner::crash);
            } else if (stormy && random.nextInt(12) == 0) {
                owners.forEach(owner -> owner.container().leave());
            }
            if (stormy && random.nextInt(threads.anyWaits() ? 3 : 30) == 0) {
                events.leap(random.nextLong(LONG_MICROS));
            }
            boolean nobody = owners.stream().noneMatch(SimOwner::alive);
            if ((nobody && !over) || (stormy && random.nextInt(3) == 0)) {
                open();
            }
            chaosTurn();
        });
    }

    /** Of those that recover, too; in calm the owner has what it began with. */
    private void resizeSome() {
        for (SimOwner owner : owners) {
            if (!stormy) {
                owner.container().resize(share(config.log().frameBytes(), CACHE_BYTES));
            } else if (sizes.nextInt(3) == 0) {
                long cache = (1 + sizes.nextLong(3)) * StreamingCache.BUFFER_BYTES;
                owner.container().resize(share(1024 << sizes.nextInt(5), cache));
            }
        }
    }

    private MemoryShare share(int frame, long cache) {
        ContainerConfig.Log log = config.log();
        return new MemoryShare(
                new ContainerConfig.Log(frame, log.maxInFlightFrames(), frame * 4, log.ledgerBytes(), log.limitBytes())
                        .with(log.durability()),
                MOST_APPEND_BYTES,
                cache,
                0);
    }

    private void open() {
        SimOwner owner = new SimOwner(this, config);
        owners.add(owner);
        owner.container().open();
    }

    /** A task of an owner's: happens a little later, unless the owner has crashed by then. */
    void task(SimOwner owner, String name, Runnable task) {
        if (!name.startsWith("close-log") && faults.oneIn(1_000)) {
            throw new IllegalStateException("planted: no thread");
        }
        events.add(faults.delay(), name, () -> {
            if (!owner.crashed() || name.startsWith("close-log") || name.startsWith("recover")) {
                // what another task of the owner's waits for in the middle of a call, this one has to wait for too
                if (faults.oneIn(6) || threads.waits(owner)) {
                    threads.run(owner, task);
                } else {
                    task.run();
                }
            }
            if (name.startsWith("recover")) {
                owners.forEach(SimOwner::bury);
            }
        });
    }

    /**
     * Called by an owner that has recovered; returns what its clients may rely on. Null if a later one serves already: its loop
     * had not come round to the log's last answer before it was robbed of the log.
     */
    @Nullable
    SimModel served(SimOwner owner) {
        if (newest != null && owner.container().term() < newest.container().term()) {
            return null;
        }
        note("serving", owner.container().term());
        SimModel before = newest == null ? new SimModel() : newest.model();
        checkers.forEach(each -> each.served(owner, before));
        newest = owner;
        return before.recoveredBy(owner);
    }

    @Nullable
    SimOwner newest() {
        return newest;
    }

    Tier tier(TierHost host, SimOwner owner) {
        return new SimTier(host, owner, objects, faults, events, bug);
    }

    SegmentRider rider(SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        return SimRider.create(container, info, attributes, snapshot, bug);
    }

    boolean defersSync() {
        return defersSync;
    }

    InMemoryWalStore wal() {
        return wal;
    }

    List<Checker> checkers() {
        return checkers;
    }

    void note(String what, long number) {
        events.note(what, number);
    }
}
