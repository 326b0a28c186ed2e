package io.sluice.tiering;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.util.ArrayList;
import java.util.List;

/** A store behind a link of so many bytes per second of simulated time. What is stored is forgotten. */
final class SimulatedLink implements ObjectStore {
    /** How uploads under way share the link. */
    enum Sharing {
        /** All at the same speed, as TCP connections do. */
        EVENLY,
        /** One after the other, as a pacer lets them in. */
        IN_ORDER
    }

    private final LockstepThreads threads;
    private final Sharing sharing;
    private final List<Transfer> transfers = new ArrayList<>();
    private double bytesPerSecond;
    private long now;
    private long stored;

    private static final class Transfer {
        final LockstepThreads.Stop stop;
        double left;

        Transfer(LockstepThreads.Stop stop, int bytes) {
            this.stop = stop;
            this.left = bytes;
        }
    }

    SimulatedLink(LockstepThreads threads, Sharing sharing, double bytesPerSecond) {
        this.threads = threads;
        this.sharing = sharing;
        this.bytesPerSecond = bytesPerSecond;
    }

    void limit(double newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    long stored() {
        return stored;
    }

    /** Time passes; what has arrived by {@code time}, microseconds, is stored. */
    void advance(long time) {
        double budget = bytesPerSecond * (time - now) / 1e6;
        now = time;
        while (budget > 0.5 && !transfers.isEmpty()) {
            int sharers = sharing == Sharing.EVENLY ? transfers.size() : 1;
            double each = budget / sharers;
            for (Transfer transfer : transfers.subList(0, sharers)) {
                each = Math.min(each, transfer.left);
            }
            for (Transfer transfer : transfers.subList(0, sharers)) {
                transfer.left -= each;
            }
            budget -= each * sharers;
            List<Transfer> done =
                    transfers.stream().filter(transfer -> transfer.left < 0.5).toList();
            transfers.removeAll(done);
            done.forEach(transfer -> transfer.stop.resume());
        }
    }

    @Override
    public void put(String name, ByteBuf content) {
        int bytes = content.readableBytes();
        threads.stop(stop -> transfers.add(new Transfer(stop, bytes)));
        stored += bytes;
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        throw new ObjectStoreException.NotFound("forgotten: " + name, null);
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        throw new ObjectStoreException.NotFound("forgotten: " + name, null);
    }

    @Override
    public void delete(List<String> names) {}

    @Override
    public List<StoredObject> list(String prefix, String after, int max) {
        return List.of();
    }

    @Override
    public void close() {}
}
