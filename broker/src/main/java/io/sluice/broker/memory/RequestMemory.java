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
 *   limit ─┬─ 5/16 whole requests of one protocol  ┐ while they take more, the protocol's sockets are not read
 *          ├─ 5/16 whole requests of the other one ┘
 *          ├─ 1/8  what requests under way came to hold beside the bytes they came in
 *          ├─ 1/8  frames of which a part has arrived, of any connection
 *          ├─ 1/16 reservations for the rest of such frames, first come, first served
 *          └─ 1/16 reservations for the rest of small frames
 * </pre>
 *
 * <p>Over their eighth, half-arrived frames cannot block each other for ever. A frame goes on arriving once memory is reserved for
 * all that it lacks, and keeps its place in line until then. The first in line gets its reservation as soon as it fits or no other of
 * that sixteenth is left, and others end: a frame is completed, or its connection is closed because it has stopped arriving.
 * Small frames (up to 1/64) have a sixteenth of their own, so they pass large ones without making them wait. It is also for larger
 * ones of connections that have sent as much in one frame before, and these are first in it: who holds half a frame
 * cannot keep it from them. All have their place in line besides.
 *
 * <p>Each read is of {@link #LEAST_READ} at most where there is no room for more, so that all together never hold more than the limit,
 * that much per connection, and one frame. Thread-safe.
 */
public final class RequestMemory {
    /** Period in which {@link #look} has to be called. */
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
    private final AtomicLong grown = new AtomicLong();
    private final AtomicLong reserved = new AtomicLong();
    private final Set<ReservedRead> connections = ConcurrentHashMap.newKeySet();
    private volatile ProtocolShare[] shares = {};

    /** All that wait for a reservation; guarded by this. */
    private final TreeSet<ReservedRead> line = new TreeSet<>(Comparator.comparingLong(c -> c.place));
    /** Waiting connections that may use the sixteenth for small frames; guarded by this. */
    private final TreeSet<ReservedRead> small =
            new TreeSet<>(Comparator.comparing((ReservedRead c) -> !c.known).thenComparingLong(c -> c.place));

    private volatile boolean framesWait;
    /** Reserved bytes of the sixteenth for small frames; guarded by this. */
    private long reservedSmall;

    private long places;
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
        return new RequestMemory(Math.max(16 * LEAST_READ, bytes * 16 / 5));
    }

    /** The share of one protocol. */
    public synchronized ProtocolShare share() {
        ProtocolShare added = new ProtocolShare(this, limit * 5 / 16);
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
        return arriving.get() + grown.get() + whole();
    }

    private long whole() {
        long sum = 0;
        for (ProtocolShare share : shares) {
            sum += share.used();
        }
        return sum;
    }

    private long total() {
        return used() + reserved.get();
    }

    /** Frames may arrive without a reservation: there is room, and no earlier one waits. */
    boolean ample() {
        return !framesWait && arriving.get() <= limit / 8 && total() <= limit - limit / 8;
    }

    // ---- requests that grow ----

    /** Takes bytes that requests under way hold beside those they came in; false if there is no room, never if none are held yet. */
    boolean grow(long bytes) {
        long before = grown.getAndAdd(bytes);
        if (before == 0 || before + bytes <= limit / 8) {
            return true;
        }
        shrink(bytes);
        return false;
    }

    void shrink(long bytes) {
        grown.addAndGet(-bytes);
    }

    // ---- connections ----

    void opened(ReservedRead connection) {
        connections.add(connection);
    }

    void closed(ReservedRead connection) {
        connections.remove(connection);
        leave(connection);
        giveBackReservation(connection, Long.MAX_VALUE);
    }

    void changed(long bytes) {
        arriving.addAndGet(bytes);
    }

    // ---- reservations ----

    /** Reserves memory for what the connection's frame lacks, now or later; then the connection is told to read on. */
    void await(ReservedRead connection) {
        List<ReservedRead> next;
        synchronized (this) {
            connection.join(places++);
            line.add(connection);
            if (connection.asked <= (connection.known ? limit / 16 : limit / 64)) {
                small.add(connection);
            }
            next = goOn();
        }
        boolean goesOn = next.remove(connection);
        next.forEach(ReservedRead::readOn);
        if (!goesOn) {
            closeQuiet();
            wake(); // there may have been room before this one was seen to wait
        }
    }

    /** Takes those out of the line that may read on; under the lock. */
    private List<ReservedRead> goOn() {
        List<ReservedRead> next = new ArrayList<>();
        while (!line.isEmpty() && reserve(line.first())) {
            next.add(line.first());
            remove(line.first());
        }
        while (!small.isEmpty() && reserveSmall(small.first())) {
            next.add(small.first());
            remove(small.first());
        }
        framesWait = !line.isEmpty();
        return next;
    }

    private boolean reserve(ReservedRead connection) {
        long given = reserved.get() - reservedSmall;
        long more = connection.asked;
        boolean fits = arriving.get() + given + more <= limit * 3 / 16 && total() + more <= limit;
        if (!fits && given > 0) {
            return false;
        }
        reserved.addAndGet(more);
        connection.reservation = more;
        return true;
    }

    private boolean reserveSmall(ReservedRead connection) {
        long more = connection.asked;
        if (reservedSmall + more > limit / 16) {
            return false;
        }
        reserved.addAndGet(more);
        reservedSmall += more;
        connection.reservation = more;
        connection.reservedSmall = true;
        return true;
    }

    /** Reserved bytes have come, or are not needed any more. */
    void giveBackReservation(ReservedRead connection, long bytes) {
        synchronized (this) {
            long less = Math.min(bytes, connection.reservation);
            connection.reservation -= less;
            reserved.addAndGet(-less);
            if (connection.reservedSmall) {
                reservedSmall -= less;
                connection.reservedSmall = connection.reservation > 0;
            }
        }
    }

    void leave(ReservedRead connection) {
        synchronized (this) {
            remove(connection);
            framesWait = !line.isEmpty();
        }
    }

    private void remove(ReservedRead connection) {
        line.remove(connection);
        small.remove(connection);
        connection.waits = false;
    }

    /** There may be room now. */
    void wake() {
        if (!framesWait) {
            return;
        }
        List<ReservedRead> next;
        synchronized (this) {
            next = goOn();
        }
        next.forEach(ReservedRead::readOn);
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
            connections.forEach(ReservedRead::look);
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
        for (ReservedRead connection : connections) {
            if (connection.quietLooks() >= QUIET_LOOKS) {
                connection.tooSlow();
            }
        }
    }
}
