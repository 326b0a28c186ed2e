package io.sluice.broker.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that requests of all protocols hold, from their arrival to their answer.
 *
 * <pre>
 *   limit ─┬─ 3/8 whole requests of one protocol  ┐ while they take more, the protocol's sockets are not read
 *          ├─ 3/8 whole requests of the other one ┘
 *          └─ 1/4 frames of which a part has arrived: 1/8 for whoever comes, 1/8 promised, half of that to small ones only
 * </pre>
 *
 * <p>Half-arrived frames cannot block each other for ever. Over its eighth, a frame goes on arriving once the memory for all that
 * it lacks was promised to it. Connections that have sent as much in one frame before are first, and of those the one that lacks least.
 * If nobody has a promise, one is given however much it is. While frames wait, a connection whose frame has stopped arriving is closed, and so is a new one whose first frame does not come to its end.
 *
 * <p>Each read is of {@link #LEAST_READ} at most where there is no room for more, so that all together never hold more than the limit,
 * that much per connection, and one frame. Thread-safe.
 */
public final class RequestMemory {
    /** Period in which somebody has to call {@link #look}. */
    public static final long LOOK_MILLIS = 500;

    /** Looks that come earlier after the last one are those of another gateway. */
    private static final long LEAST_BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS * 3 / 4);

    /** Bytes that a socket may always be asked for. */
    static final int LEAST_READ = 1 << 10;

    /** A frame that got less since the last look has stopped arriving; a frame that was completed counts as this much. */
    static final int LEAST_PROGRESS = 4 << 10;

    /** After how many looks without progress a connection is closed. */
    private static final int QUIET_LOOKS = 2;

    private final long limit;
    private final AtomicLong arriving = new AtomicLong();
    private final AtomicLong promised = new AtomicLong();
    private final Set<ConnectionMemory> connections = ConcurrentHashMap.newKeySet();
    private volatile ProtocolShare[] shares = {};

    /** Guarded by this. */
    private final TreeSet<ConnectionMemory> waiting =
            new TreeSet<>(Comparator.comparing((ConnectionMemory c) -> !c.proven)
                    .thenComparingLong(c -> c.asked)
                    .thenComparingLong(c -> c.number));

    private volatile boolean framesWait;
    /** Of what is promised; guarded by this. */
    private long promisedSmall;

    private long connectionsMade;
    private long looks;
    private long lastLook;
    private long closedAtLook = -1;

    public RequestMemory(long limit) {
        if (limit < 16 * LEAST_READ) {
            throw new IllegalArgumentException("memory for requests must be at least 16 KiB, not " + limit);
        }
        this.limit = limit;
    }

    /** One that gives each protocol {@code bytes} for whole requests. */
    public static RequestMemory withShares(long bytes) {
        return new RequestMemory(Math.max(16 * LEAST_READ, bytes * 8 / 3));
    }

    /** The share of one protocol. */
    public synchronized ProtocolShare share() {
        ProtocolShare added = new ProtocolShare(this, limit * 3 / 8);
        ProtocolShare[] more = Arrays.copyOf(shares, shares.length + 1);
        more[shares.length] = added;
        shares = more;
        return added;
    }

    public long limit() {
        return limit;
    }

    /** Largest frame that can be let in. */
    public long largestFrame() {
        return limit;
    }

    /** Bytes held now, by whole requests and by parts of frames. */
    public long used() {
        return arriving.get() + whole();
    }

    private long whole() {
        long sum = 0;
        for (ProtocolShare share : shares) {
            sum += share.used();
        }
        return sum;
    }

    private long total() {
        return used() + promised.get();
    }

    /** Frames may arrive without a promise. */
    boolean ample() {
        return arriving.get() <= limit / 8 && total() <= limit - limit / 8;
    }

    // ---- connections ----

    synchronized long opened(ConnectionMemory connection) {
        connections.add(connection);
        return connectionsMade++;
    }

    void closed(ConnectionMemory connection) {
        connections.remove(connection);
        leave(connection);
        giveBackPromise(connection, Long.MAX_VALUE);
    }

    void changed(long bytes) {
        arriving.addAndGet(bytes);
    }

    // ---- promises ----

    /** Promises memory for what the connection's frame lacks, now or later; then the connection is told to read on. */
    void await(ConnectionMemory connection) {
        synchronized (this) {
            connection.asked = connection.lacks();
            connection.proven = connection.hasSentAsMuch();
            if (ample() || promise(connection)) {
                return;
            }
            connection.waits = true;
            waiting.add(connection);
            framesWait = true;
        }
        closeQuiet();
        wake();
    }

    /** Out of what all share, out of the sixteenth for small frames, or because nobody else has one; under the lock. */
    private boolean promise(ConnectionMemory connection) {
        long more = connection.asked - connection.promise;
        long given = promised.get() - promisedSmall;
        boolean fits = arriving.get() + given + more <= limit * 3 / 16 && total() + more <= limit;
        boolean small = !fits && more <= limit / 32 && promisedSmall + more <= limit / 16;
        if (!fits && !small && given > 0) {
            return false;
        }
        promised.addAndGet(more);
        connection.promise = connection.asked;
        connection.promisedSmall += small ? more : 0;
        promisedSmall += small ? more : 0;
        return true;
    }

    /** Bytes of a promise have come, or are not needed any more. */
    void giveBackPromise(ConnectionMemory connection, long bytes) {
        synchronized (this) {
            long less = Math.min(bytes, connection.promise);
            connection.promise -= less;
            promised.addAndGet(-less);
            long lessSmall = Math.max(0, connection.promisedSmall - connection.promise);
            connection.promisedSmall -= lessSmall;
            promisedSmall -= lessSmall;
        }
    }

    void leave(ConnectionMemory connection) {
        synchronized (this) {
            waiting.remove(connection);
            framesWait = !waiting.isEmpty();
            connection.waits = false;
        }
    }

    /** There may be room now. */
    void wake() {
        if (!framesWait) {
            return;
        }
        List<ConnectionMemory> next = new ArrayList<>();
        synchronized (this) {
            while (!waiting.isEmpty() && (ample() || promise(waiting.first()))) {
                ConnectionMemory first = waiting.removeFirst();
                first.waits = false;
                next.add(first);
            }
            framesWait = !waiting.isEmpty();
        }
        next.forEach(ConnectionMemory::readOn);
    }

    // ---- looking on ----

    /** Finds out whose frames have stopped arriving. Each gateway calls it every {@link #LOOK_MILLIS}; any thread. */
    public void look() {
        look(System.nanoTime());
    }

    void look(long nanos) {
        synchronized (this) {
            if (looks > 0 && nanos - lastLook < LEAST_BETWEEN_LOOKS) {
                return;
            }
            lastLook = nanos;
            looks++;
            connections.forEach(ConnectionMemory::look);
        }
        closeQuiet();
        for (ProtocolShare share : shares) {
            share.look();
        }
        wake();
    }

    /** Once per look, while frames wait. */
    private void closeQuiet() {
        synchronized (this) {
            if (!framesWait || closedAtLook == looks) {
                return;
            }
            closedAtLook = looks;
        }
        for (ConnectionMemory connection : connections) {
            if (connection.quietLooks() >= QUIET_LOOKS) {
                connection.tooSlow();
            }
        }
    }
}
