package io.sluice.kafka.coordinator;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A container's loop without a container: tasks run in order on one thread; appends can be pushed back. */
final class LoopContainer implements SegmentContainer, AutoCloseable {
    private final int id;
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private final List<LoopTask> pushedBack = new ArrayList<>();
    private volatile @Nullable StoreFailure stopped;
    private volatile boolean pushing;

    LoopContainer(int id) {
        this.id = id;
    }

    /** Runs on the loop and waits for the answer. */
    <T> T ask(Supplier<T> question) {
        try {
            return loop.submit(question::get).get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    void stop(StoreFailure why) {
        stopped = why;
    }

    /** From now on appends wait for {@link #letGo}. */
    void pushBack() {
        pushing = true;
    }

    void letGo() {
        pushing = false;
        List<LoopTask> waiting = ask(() -> {
            List<LoopTask> all = List.copyOf(pushedBack);
            pushedBack.clear();
            return all;
        });
        waiting.forEach(this::execute);
    }

    @Override
    public void execute(LoopTask task) {
        StoreFailure why = stopped;
        if (why != null) {
            task.abandoned(why);
        } else {
            loop.execute(task::run);
        }
    }

    @Override
    public void executeAppend(LoopTask task) {
        if (pushing) {
            loop.execute(() -> pushedBack.add(task));
        } else {
            execute(task);
        }
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public long term() {
        return 1;
    }

    @Override
    public void close() {
        loop.shutdownNow();
    }

    @Override
    public boolean onLoop() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long now() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void schedule(long delayMillis, LoopTask task) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable SegmentInfo info(long segment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable SegmentRider rider(long segment) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void create(long segment, byte kind, ByteBuf attributes, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long append(long segment, ByteBuf data, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void note(long segment, ByteBuf note, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void barrier(Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void truncate(long segment, long position, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void seal(long segment, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(long segment, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void read(long segment, long position, int maxBytes, ReadReply reply) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable ByteBuf readCached(long segment, long position, int maxBytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int maxAppendBytes() {
        return 8 << 20;
    }
}
