package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.log.state.StatePart;
import io.sluice.broker.subscription.AckMemory;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentContainer;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How the catalogue moves a partition, step by step, and settles a move that a crash has cut short. */
final class SimulatedMove {
    /** Tag of the ledgers of message ids in a snapshot. */
    private static final byte LEDGERS = 12;

    private static final int CONTAINERS = MoveSim.CONTAINERS;
    private static final long PARTITION = MoveSim.PARTITION;

    private final Random random;
    private final MoveSimBug bug;
    private final InMemoryContainers containers;
    private final Clients clients;

    // what the catalogue has, durably
    private int container;
    private long segment = PARTITION;
    private @Nullable SegmentPlace target;
    private final List<SegmentPlace> earlier = new ArrayList<>();
    private long nextSegment = PARTITION + 1;

    /** How far the move under way has got; forgotten by a crash. */
    private Step step = Step.NONE;

    private @Nullable ByteBuf state;
    private int stateEpoch;
    /** Crashes so far: what was asked for before one is not answered after it. */
    private int crashes;

    private int moves;
    private int failures;

    private enum Step {
        NONE,
        PREPARING,
        PREPARED,
        LEAVING,
        READY,
        ARRIVING,
        ARRIVED
    }

    /** The partition's clients, who know nothing of moves. */
    interface Clients {
        /** One of them sends an entry. */
        void sendNow();

        /** The partition's state is taken, with all that was acknowledged. */
        void left();
    }

    SimulatedMove(Random random, MoveSimBug bug, InMemoryContainers containers, Clients clients) {
        this.random = random;
        this.bug = bug;
        this.containers = containers;
        this.clients = clients;
    }

    int container() {
        return container;
    }

    long segment() {
        return segment;
    }

    /** Places that the partition has left. */
    List<SegmentPlace> earlier() {
        return earlier;
    }

    /** An id that no segment has had. */
    long newSegment() {
        return nextSegment++;
    }

    /** All segments have lower ids. */
    long segmentsEnd() {
        return nextSegment;
    }

    boolean isUnderWay() {
        return step != Step.NONE;
    }

    int crashes() {
        return crashes;
    }

    void crash() {
        crashes++;
    }

    int moves() {
        return moves;
    }

    /** Writes of the metadata that failed when a partition had arrived. */
    int failures() {
        return failures;
    }

    void create(int in, long as, long partitionId, Durable done) {
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0, partitionId).write(attributes);
        containers.get(in).create(as, SegmentKinds.PARTITION, attributes, done);
    }

    /** The next step, if its time has come. */
    void step() {
        switch (step) {
            case NONE -> {
                if (target != null) {
                    settle(); // the write that shows it had failed
                } else if (random.nextInt(8) == 0) {
                    int to = (container + 1 + random.nextInt(CONTAINERS - 1)) % CONTAINERS;
                    target = new SegmentPlace(to, nextSegment++);
                    step = Step.PREPARING;
                    prepare();
                }
            }
            case PREPARED -> leave();
            case READY -> arrive();
            case ARRIVED -> {
                if (random.nextInt(8) == 0) {
                    step = Step.NONE; // the write fails
                    failures++;
                } else {
                    show();
                }
            }
            case PREPARING, LEAVING, ARRIVING -> {}
        }
    }

    private SegmentPlace target() {
        SegmentPlace to = target;
        if (to == null) {
            throw new IllegalStateException("nothing moves");
        }
        return to;
    }

    private void prepare() {
        if (containers.get(target().container()).info(target().segment()) == null) {
            create(target().container(), target().segment(), PARTITION, then(Step.PREPARED));
        } else {
            containers.get(target().container()).barrier(then(Step.PREPARED));
        }
    }

    private Durable then(Step next) {
        int begun = crashes;
        return Durable.of(
                () -> {
                    if (begun == crashes) {
                        step = next;
                    }
                },
                why -> {
                    // a crash, after which the move is settled
                });
    }

    private void leave() {
        step = Step.LEAVING;
        InMemoryContainer from = containers.get(container);
        int begun = crashes;
        ByteBuf early = Unpooled.buffer();
        if (bug == MoveSimBug.APPENDED_AFTER_THE_STATE_WAS_TAKEN) {
            ((PartitionRider) from.rider(segment)).writeLeaving(early);
            clients.sendNow();
        }
        Handover.leave(
                from,
                segment,
                written -> {
                    if (begun == crashes) {
                        clients.left();
                        step = Step.READY;
                        stateEpoch = bug == MoveSimBug.EPOCH_OF_THE_NEW_CONTAINER ? -1 : written.epoch();
                        state = early.isReadable() ? early : cut(written.bytes());
                    }
                },
                why -> {} /* a crash */);
    }

    private ByteBuf cut(ByteBuf written) {
        if (bug != MoveSimBug.CURSOR_LEFT_BEHIND
                && bug != MoveSimBug.LEDGERS_LEFT_BEHIND
                && bug != MoveSimBug.VIEW_LEFT_BEHIND) {
            return written;
        }
        PartitionState read = new PartitionState(ProducerLimits.DEFAULT, container, segment);
        SubscriptionsPart subscriptions = new SubscriptionsPart(nobodys());
        PartitionSnapshot.read(written, read, subscriptions);
        read.offsets().leave();
        List<StatePart> parts = new ArrayList<>(read.parts());
        if (bug == MoveSimBug.LEDGERS_LEFT_BEHIND) {
            parts.add(subscriptions);
            parts.removeIf(part -> part.tag() == LEDGERS);
        }
        if (bug == MoveSimBug.VIEW_LEFT_BEHIND) {
            parts.add(subscriptions);
            parts.remove(read.view());
        }
        ByteBuf without = Unpooled.buffer();
        PartitionSnapshot.write(parts, without);
        return without;
    }

    private PartitionSubscriptions nobodys() {
        return new PartitionSubscriptions(containers.get(container), segment, () -> 0, AckMemory.ofHeap(), null);
    }

    private void arrive() {
        step = Step.ARRIVING;
        ByteBuf bytes = state;
        if (bytes == null) {
            throw new IllegalStateException("nothing has left");
        }
        InMemoryContainer to = containers.get(target().container());
        Handover.arrive(
                bug == MoveSimBug.ARRIVED_BEFORE_THE_SYNC ? neverSyncing(to) : to,
                target().segment(),
                container,
                stateEpoch,
                bytes,
                then(Step.ARRIVED));
        if (bug == MoveSimBug.SUCCESSOR_READ_EARLY) {
            show();
        } else if (bug == MoveSimBug.ARRIVED_BEFORE_THE_SYNC && step == Step.ARRIVING) {
            containers.doWork();
            step = Step.ARRIVED;
        }
    }

    /** The container, of which nobody waits for the sync. */
    private static SegmentContainer neverSyncing(InMemoryContainer of) {
        return (SegmentContainer) Proxy.newProxyInstance(
                SimulatedMove.class.getClassLoader(),
                new Class<?>[] {SegmentContainer.class},
                (proxy, method, arguments) -> method.getName().equals("barrier") ? null : method.invoke(of, arguments));
    }

    private void show() {
        SegmentPlace to = target();
        earlier.add(new SegmentPlace(container, segment));
        container = to.container();
        segment = to.segment();
        target = null;
        step = Step.NONE;
        moves++;
        forget();
    }

    void forget() {
        if (bug == MoveSimBug.SUCCESSOR_READ_EARLY) {
            return;
        }
        earlier.forEach(place -> Handover.left(containers.get(place.container()), place.segment(), Durable.IGNORED));
    }

    /** After a crash what was cut short is undone or finished. */
    void settle() {
        step = Step.NONE;
        if (target == null) {
            return;
        }
        InMemoryContainer to = containers.get(target().container());
        if (bug == MoveSimBug.UNDONE_AFTER_THE_SEAL || !Handover.isLeaving(containers.get(container), segment)) {
            if (to.info(target().segment()) != null) {
                to.delete(target().segment(), Durable.IGNORED);
            }
            target = null;
            return;
        }
        if (Handover.hasArrived(to, target().segment())) {
            Handover.arrived(to, Durable.IGNORED);
            containers.drain();
            show();
            return;
        }
        step = Step.PREPARING;
        prepare();
        containers.drain();
        Handover.leave(
                containers.get(container),
                segment,
                written -> {
                    stateEpoch = bug == MoveSimBug.EPOCH_OF_THE_NEW_CONTAINER ? -1 : written.epoch();
                    state = cut(written.bytes());
                },
                why -> {
                    throw new AssertionError(why.message());
                });
        containers.drain();
        arrive();
        containers.drain();
        if (target != null) {
            show();
        }
    }
}
