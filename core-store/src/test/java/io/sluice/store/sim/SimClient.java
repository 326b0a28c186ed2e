package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.container.Inside;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.Random;

/** Asks an owner for this and that, and writes down in its model what was asked and promised. */
final class SimClient {
    private static final int MOST_SEGMENTS = 10;
    private static final byte KIND = 1;
    /** In which an append must be answered. */
    private static final int CALM_EVENTS = 20_000;

    private final SimWorld world;
    private final Random random;
    private final SimRequests requests = new SimRequests();
    private long nextSegment = 1;
    private long nextAppend = 1;

    SimClient(SimWorld world, Random random) {
        this.world = world;
        this.random = random;
    }

    void request(SimOwner owner) {
        List<SimSegment> live = owner.model().live();
        if (live.isEmpty() || (live.size() < MOST_SEGMENTS && random.nextInt(40) == 0)) {
            run(owner, () -> create(owner));
            return;
        }
        SimSegment segment = live.get(random.nextInt(live.size()));
        int roll = random.nextInt(100);
        if (roll < 65 && segment.isStored()) {
            run(owner, () -> store(owner, segment));
        } else if (roll < 65) {
            int bytes = bytes();
            runAppend(owner, () -> append(owner, segment, bytes));
        } else if (roll < 72) {
            run(owner, () -> note(owner, segment));
        } else if (roll < 75) {
            run(owner, () -> truncate(owner, segment));
        } else if (roll < 76) {
            run(owner, () -> seal(owner, segment));
        } else if (roll < 77) {
            run(owner, () -> delete(owner, segment));
        } else {
            run(owner, () -> read(owner, segment));
        }
    }

    /** Whatever an owner's container says is on the disks. */
    void noteSafe(SimOwner owner) {
        for (SimSegment segment : owner.model().segments.values()) {
            segment.safeLength = Math.max(segment.safeLength, Inside.synced(owner.container(), segment.id));
        }
    }

    SimRequests requests() {
        return requests;
    }

    /** Of the append that comes next. */
    long nextAppend() {
        return nextAppend;
    }

    private int bytes() {
        int roll = random.nextInt(100);
        return 1 + random.nextInt(roll < 80 ? 1_500 : roll < 96 ? 10_000 : SimWorld.MOST_APPEND_BYTES);
    }

    private void create(SimOwner owner) {
        SimSegment segment = owner.model().add(nextSegment);
        owner.container()
                .segments()
                .create(
                        nextSegment++,
                        KIND,
                        Unpooled.EMPTY_BUFFER,
                        promise(owner, () -> segment.createPromised = true));
    }

    private void append(SimOwner owner, SimSegment segment, int bytes) {
        SegmentInfo info = owner.container().segments().info(segment.id);
        if (info == null || info.sealed()) {
            return;
        }
        SimAppend append = segment.append(nextAppend++, bytes);
        long position = owner.container().segments().append(segment.id, append.bytes(), promise(owner, () -> {
            segment.promisedLength = Math.max(segment.promisedLength, append.end());
            world.checkers().forEach(each -> each.acknowledged(owner, segment, append));
        }));
        if (position != append.position()) {
            throw new Violation(OneWriter.class, "appended at " + position + " instead of " + append.position());
        }
    }

    /** Past the log, one at a time. */
    private void store(SimOwner owner, SimSegment segment) {
        SegmentInfo info = owner.container().segments().info(segment.id);
        if (info == null || info.sealed() || segment.promisedLength < segment.length) {
            return;
        }
        SimAppend append = segment.append(nextAppend++, bytes());
        owner.container().segments().store(segment.id, append.bytes(), promise(owner, () -> {
            segment.promisedLength = Math.max(segment.promisedLength, append.end());
            world.checkers().forEach(each -> each.acknowledged(owner, segment, append));
        }));
    }

    private void note(SimOwner owner, SimSegment segment) {
        if (owner.container().segments().info(segment.id) != null) {
            segment.notes.add(nextAppend);
            int count = segment.notes.size();
            owner.container()
                    .segments()
                    .note(segment.id, SimRider.note(nextAppend++), promise(owner, () -> segment.promisedNotes = count));
        }
    }

    private void truncate(SimOwner owner, SimSegment segment) {
        SegmentInfo info = owner.container().segments().info(segment.id);
        if (info != null) {
            // what is stored past the log is not there yet
            long length = Math.min(segment.length, info.length());
            long position = segment.start + random.nextLong(length - segment.start + 1);
            segment.start = position;
            owner.container()
                    .segments()
                    .truncate(segment.id, position, promise(owner, () -> segment.promisedStart = position));
        }
    }

    private void seal(SimOwner owner, SimSegment segment) {
        if (!segment.isStored() && owner.container().segments().info(segment.id) != null) {
            segment.sealed = true;
            owner.container().segments().seal(segment.id, promise(owner, () -> segment.sealPromised = true));
        }
    }

    private void delete(SimOwner owner, SimSegment segment) {
        if (owner.container().segments().info(segment.id) != null) {
            segment.deleted = true;
            owner.container().segments().delete(segment.id, promise(owner, () -> segment.deletePromised = true));
        }
    }

    private void read(SimOwner owner, SimSegment segment) {
        long readable = segment.promisedLength - segment.start;
        if (readable > 0) {
            read(owner, segment, segment.start + random.nextLong(readable), 1 + random.nextInt(20_000), () -> {});
        }
    }

    /** Whatever has happened before: who serves in calm answers appends. */
    void appendsArePromised(SimOwner owner, Runnable step) {
        boolean[] promised = new boolean[1];
        for (SimSegment segment : owner.model().live()) {
            SegmentInfo info = owner.container().segments().info(segment.id);
            if (info != null && !info.sealed() && !segment.isStored()) {
                SimAppend append = segment.append(nextAppend++, 100);
                owner.container().segments().append(segment.id, append.bytes(), promise(owner, () -> {
                    segment.promisedLength = Math.max(segment.promisedLength, append.end());
                    promised[0] = true;
                }));
                for (int i = 0; i < CALM_EVENTS && !promised[0]; i++) {
                    step.run();
                }
                if (!promised[0]) {
                    throw new AssertionError("an append is not answered in calm");
                }
                return;
            }
        }
    }

    /** Reads what is readable of every segment, again and again until all of it has come. */
    void readAll(SimOwner owner) {
        for (SimSegment segment : owner.model().live()) {
            readOn(owner, segment, segment.start);
        }
    }

    private void readOn(SimOwner owner, SimSegment segment, long position) {
        SegmentInfo info = owner.container().segments().info(segment.id);
        if (info != null && position < info.durableLength()) {
            long[] next = {position};
            read(owner, segment, position, 50_000, () -> readOn(owner, segment, next[0]), next);
        }
    }

    private void read(SimOwner owner, SimSegment segment, long position, int most, Runnable then) {
        read(owner, segment, position, most, then, new long[1]);
    }

    private void read(SimOwner owner, SimSegment segment, long position, int most, Runnable then, long[] next) {
        long request = requests.asked(owner);
        owner.container().segments().read(segment.id, position, most, new ReadReply() {
            @Override
            public void data(long from, ByteBuf data) {
                requests.answered(request);
                if (!owner.crashed()) {
                    world.note("read", from + data.readableBytes());
                    world.checkers().forEach(each -> each.read(owner, segment, from, data));
                }
                next[0] = from + data.readableBytes();
                data.release();
                then.run();
            }

            @Override
            public void failed(StoreFailure why) {
                requests.answered(request);
                // an owner that was robbed of its log may miss what the newest has deleted
                if (why instanceof StoreFailure.Corrupt corrupt && owner == world.newest() && !owner.crashed()) {
                    throw new Violation(ReadsAreWhatWasAppended.class, corrupt.message());
                }
            }
        });
    }

    private void run(SimOwner owner, Runnable request) {
        SegmentContainer container = owner.container().segments();
        told(owner, container.ask(() -> runUnlessCrashed(owner, request)));
    }

    private void runAppend(SimOwner owner, Runnable request) {
        SegmentContainer container = owner.container().segments();
        told(owner, container.askAppend(answer -> answer.complete(runUnlessCrashed(owner, request))));
    }

    private void told(SimOwner owner, Answer<Boolean> answer) {
        long asked = requests.asked(owner);
        answer.whenComplete((ran, why) -> requests.answered(asked));
    }

    private static boolean runUnlessCrashed(SimOwner owner, Runnable request) {
        if (!owner.crashed()) {
            request.run();
        }
        return true;
    }

    private Durable promise(SimOwner owner, Runnable promised) {
        long request = requests.asked(owner);
        return Durable.of(
                () -> {
                    requests.answered(request);
                    if (!owner.crashed()) {
                        world.note("durable", owner.container().term());
                        promised.run();
                    }
                },
                why -> requests.answered(request));
    }
}
