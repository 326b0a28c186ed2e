package io.sluice.broker.subscription;

import static java.util.stream.Collectors.toMap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one partition, as part of its segment's rider.
 *
 * <pre>
 *   ack, ack, ack ... ─► state at once;  end of the turn ─► one note for all cursors ─► durable ─► every ack's Durable
 * </pre>
 *
 * <p>Applying a note of acknowledgements again changes nothing, so it does not matter that live traffic has applied them
 * before. Whatever is not idempotent (seek, delete) goes into the log behind the acknowledgements before it.
 */
public final class PartitionSubscriptions implements Subscriptions, ShadowSubscriptions.Partition, LoopTask {
    /** The newest that {@link #snapshot} writes and {@link #restore} reads: how often records were delivered to share groups, too. */
    public static final byte NEWEST_VERSION = 4;

    /** With acknowledgements in open transactions. */
    private static final byte WITH_PENDING = 3;

    private static final byte VERSION = 2;

    /** Acknowledgements as ranges. */
    private static final byte FIRST_VERSION = 1;
    /** New ranges after which a note leaves before the turn ends; keeps it well under the limit of 1 MiB. */
    private static final int FULL_NOTE = 20_000;

    private final SegmentContainer container;
    private final long segment;
    private final LongSupplier sequencedEnd;
    private final AckMemory memory;
    private final Supplier<PendingAcks> pending;
    private final ListedSubscriptions.@Nullable Partition listed;
    private final StoredCursors<DurableCursor> cursors = new StoredCursors<>();
    private long nextId;
    private final LatestCoordinators coordinators = new LatestCoordinators();
    private final List<DurableCursor> dirty = new ArrayList<>(1);
    private List<Durable> waiting = new ArrayList<>(1);
    /** New ranges of all cursors. */
    private int freshRanges;

    private boolean noteDue;
    private @Nullable StoreFailure closed;

    /**
     * @param sequencedEnd one past the last offset handed out: nothing at or above it can be acknowledged
     * @param listed where the subscriptions are listed; null for nowhere
     */
    public PartitionSubscriptions(
            SegmentContainer container,
            long segment,
            LongSupplier sequencedEnd,
            AckMemory memory,
            ListedSubscriptions.@Nullable Partition listed) {
        this(container, segment, sequencedEnd, memory, PendingAcks::new, listed);
    }

    PartitionSubscriptions(
            SegmentContainer container,
            long segment,
            LongSupplier sequencedEnd,
            AckMemory memory,
            Supplier<PendingAcks> pending,
            ListedSubscriptions.@Nullable Partition listed) {
        this.listed = listed;
        this.pending = pending;
        this.container = container;
        this.segment = segment;
        this.sequencedEnd = sequencedEnd;
        this.memory = memory;
    }

    AckMemory memory() {
        return memory;
    }

    PendingAcks newPending() {
        return pending.get();
    }

    @Override
    public @Nullable Cursor find(String name) {
        return cursors.subscription(name);
    }

    @Override
    public Collection<Cursor> all() {
        return Collections.unmodifiableCollection(cursors.subscriptions());
    }

    @Override
    public Subscriptions ofShadow(UUID topic) {
        return new ShadowSubscriptions(this, topic);
    }

    @Override
    public Map<String, Map<String, String>> stored() {
        return Stream.concat(cursors.subscriptions().stream(), cursors.ofShadows().stream())
                .collect(toMap(DurableCursor::stored, DurableCursor::properties));
    }

    @Override
    public Collection<Cursor> ofShadows(String beginning) {
        return cursors.ofShadows().stream()
                .filter(cursor -> cursor.stored().startsWith(beginning))
                .<Cursor>map(cursor -> cursor)
                .toList();
    }

    @Override
    public List<String> storedNames(String beginning) {
        return cursors.all().stream()
                .map(DurableCursor::stored)
                .filter(stored -> stored.startsWith(beginning))
                .toList();
    }

    @Override
    public @Nullable DurableCursor findStored(String stored) {
        return cursors.find(stored);
    }

    @Override
    public Cursor create(String name, long startOffset, Map<String, String> properties, Durable done) {
        String why = whyNot(name, properties);
        if (why != null) {
            throw new IllegalArgumentException(why);
        }
        return createStored(name, startOffset, properties, done);
    }

    @Override
    public ShareCursor createStored(String stored, long startOffset, Map<String, String> properties, Durable done) {
        DurableCursor existing = findStored(stored);
        if (existing != null) {
            noteLater(null, done);
            return existing;
        }
        long id = nextId;
        long start = Math.clamp(startOffset, 0, sequencedEnd());
        note(done, out -> SubscriptionNotes.writeCreate(out, id, stored, start, properties));
        DurableCursor created = findStored(stored);
        // A closed partition applies nothing; the caller hears of it through done.
        return created != null ? created : new DurableCursor(this, id, stored, new CursorState(start), properties);
    }

    @Override
    public @Nullable ShareCursor findShare(String group) {
        return findStored(SHARE_PREFIX + group);
    }

    @Override
    public @Nullable String whyNotShare(String group) {
        return whyNoRoom(SHARE_PREFIX + group, Map.of());
    }

    @Override
    public ShareCursor createShare(String group, long startOffset, Durable done) {
        String why = whyNotShare(group);
        if (why != null) {
            throw new IllegalArgumentException(why);
        }
        return createStored(SHARE_PREFIX + group, startOffset, Map.of(), done);
    }

    @Override
    public void deleteShare(String group, Durable done) {
        deleteStored(SHARE_PREFIX + group, done);
    }

    @Override
    public @Nullable String whyNot(String name, Map<String, String> properties) {
        String reserved = Subscriptions.whyReserved(name);
        return reserved == null || cursors.subscription(name) != null ? whyNoRoom(name, properties) : reserved;
    }

    @Override
    public @Nullable String whyNoRoom(String stored, Map<String, String> properties) {
        if (findStored(stored) != null) {
            return null;
        }
        if (cursors.countAlike(stored) >= MAX) {
            return "a partition has at most " + MAX
                    + (StoredCursors.isOfShareGroup(stored) ? " share groups" : " subscriptions");
        }
        return Subscriptions.tooLarge(stored, properties);
    }

    @Override
    public void delete(String name, Durable done) {
        delete(cursors.subscription(name), done);
    }

    @Override
    public void deleteStored(String stored, Durable done) {
        delete(findStored(stored), done);
    }

    private void delete(@Nullable DurableCursor cursor, Durable done) {
        if (cursor == null) {
            noteLater(null, done);
            return;
        }
        writeAcks();
        note(done, out -> SubscriptionNotes.writeDelete(out, cursor.id()));
    }

    @Override
    public void endTransaction(String name, long transaction, int coordinatorEpoch, boolean commit, Durable done) {
        endTransaction(cursors.subscription(name), transaction, coordinatorEpoch, commit, done);
    }

    @Override
    public void endStored(String stored, long transaction, int coordinatorEpoch, boolean commit, Durable done) {
        endTransaction(findStored(stored), transaction, coordinatorEpoch, commit, done);
    }

    private void endTransaction(
            @Nullable DurableCursor cursor, long transaction, int coordinatorEpoch, boolean commit, Durable done) {
        if (!coordinators.isLatest(transaction, coordinatorEpoch) || cursor == null) {
            noteLater(null, done);
        } else {
            cursor.endTransaction(transaction, commit, done);
        }
    }

    void seek(DurableCursor cursor, long offset, Durable done) {
        writeAcks();
        note(done, out -> SubscriptionNotes.writeSeek(out, cursor.id(), offset));
    }

    void describe(DurableCursor cursor, Map<String, String> properties, Durable done) {
        String why = Subscriptions.tooLarge(cursor.name(), properties);
        if (why != null) {
            throw new IllegalArgumentException(why);
        }
        note(done, out -> SubscriptionNotes.writeNewProperties(out, cursor.id(), properties));
    }

    void notePending(DurableCursor cursor, TransactionalAck ack, Durable done) {
        writeAcks();
        note(done, out -> SubscriptionNotes.writePending(out, cursor.id(), ack));
    }

    void noteDelivered(DurableCursor cursor, List<ShareCursor.Delivered> ranges, Durable done) {
        writeAcks();
        note(done, out -> SubscriptionNotes.writeDelivered(out, cursor.id(), ranges));
    }

    void noteEnd(DurableCursor cursor, long transaction, boolean commit, Durable done) {
        writeAcks();
        note(done, out -> SubscriptionNotes.writeEnd(out, cursor.id(), transaction, commit));
    }

    long sequencedEnd() {
        return sequencedEnd.getAsLong();
    }

    /** A note is due when the turn ends; {@code changed} has something to put into it. */
    void noteLater(@Nullable DurableCursor changed, Durable done) {
        if (closed != null) {
            done.failed(closed);
            return;
        }
        if (changed != null) {
            dirty.add(changed);
        }
        if (done != Durable.IGNORED) {
            waiting.add(done);
        }
        if (!noteDue) {
            noteDue = true;
            container.execute(this);
        } else if (changed == null && freshRanges >= FULL_NOTE) {
            writeAcks();
        }
    }

    /** Writes the notes due at the turn's end into the log now. */
    public void flush() {
        writeAcks();
    }

    /** A cursor has so many new ranges more, or fewer. */
    void countFresh(int more) {
        freshRanges += more;
    }

    /** The turn's end: see {@link #noteLater}. */
    @Override
    public void run() {
        noteDue = false;
        writeAcks();
    }

    @Override
    public void abandoned(StoreFailure why) {
        new All(takeWaiting()).failed(why);
    }

    private void writeAcks() {
        if (dirty.isEmpty() && waiting.isEmpty()) {
            return;
        }
        Durable done = new All(takeWaiting());
        if (dirty.isEmpty()) {
            container.barrier(done);
            return;
        }
        List<DurableCursor> changed = List.copyOf(dirty);
        dirty.clear();
        note(done, out -> {
            out.writeByte(SubscriptionNotes.ACKS);
            Packed.writeUnsigned(out, changed.size());
            changed.forEach(cursor -> cursor.writeFresh(out));
        });
    }

    private List<Durable> takeWaiting() {
        List<Durable> taken = waiting;
        waiting = new ArrayList<>(1);
        return taken;
    }

    private void note(Durable done, NoteWriter writer) {
        if (closed != null) {
            done.failed(closed);
            return;
        }
        ByteBuf note = Unpooled.buffer();
        try {
            writer.write(note);
            container.note(segment, note, done);
        } finally {
            note.release();
        }
    }

    private interface NoteWriter {
        void write(ByteBuf out);
    }

    /** Applies a note; the type byte has been read. */
    public void applyNote(byte type, ByteBuf note) {
        switch (type) {
            case SubscriptionNotes.CREATE -> applyCreate(note);
            case SubscriptionNotes.DELETE -> applyDelete(Packed.readUnsigned(note));
            case SubscriptionNotes.ACKS -> {
                for (int n = Packed.readCount(note); n > 0; n--) {
                    cursor(note).applyFresh(note);
                }
            }
            case SubscriptionNotes.PENDING -> cursor(note).applyPending(note);
            case SubscriptionNotes.END -> cursor(note).applyEnd(Packed.readUnsigned(note), note.readBoolean());
            case SubscriptionNotes.DELIVERED -> cursor(note).applyDelivered(note);
            case SubscriptionNotes.PROPERTIES -> cursor(note).applyProperties(SubscriptionNotes.readProperties(note));
            case SubscriptionNotes.SEEK -> cursor(note).applySeek(Packed.readUnsigned(note));
            default ->
                throw new IllegalStateException(
                        "note of unknown type " + type + ": a newer version wrote this partition");
        }
    }

    private DurableCursor cursor(ByteBuf note) {
        long id = Packed.readUnsigned(note);
        DurableCursor cursor = cursors.find(id);
        if (cursor == null) {
            throw new IllegalStateException("note of a subscription " + id + " that does not exist");
        }
        return cursor;
    }

    private void applyCreate(ByteBuf note) {
        long id = Packed.readUnsigned(note);
        String name = Packed.readString(note);
        CursorState state = new CursorState(Packed.readUnsigned(note));
        add(new DurableCursor(this, id, name, state, SubscriptionNotes.readProperties(note)));
        nextId = id + 1;
    }

    private void add(DurableCursor cursor) {
        cursors.add(cursor.id(), cursor.stored(), cursor);
        if (listed != null && !StoredCursors.isOfShareGroup(cursor.stored())) {
            listed.add(cursor.stored(), cursor);
        }
    }

    private void applyDelete(long id) {
        DurableCursor cursor = cursors.find(id);
        if (cursor != null) {
            cursors.remove(id, cursor.stored());
            if (listed != null) {
                listed.remove(cursor.stored());
            }
            cursor.delete();
        }
    }

    /** Whether there never was a subscription. */
    public boolean isNew() {
        return nextId == 0;
    }

    /** Version that {@link #snapshot} writes now: as low as can be, so that an earlier server reads it. */
    public byte version() {
        if (!cursors.ofShareGroups().stream().allMatch(DurableCursor::isWithoutDelivered)) {
            return NEWEST_VERSION;
        }
        return cursors.all().stream().allMatch(DurableCursor::isWithoutPending) ? VERSION : WITH_PENDING;
    }

    public void snapshot(ByteBuf out) {
        byte version = version();
        Packed.writeUnsigned(out, nextId);
        Packed.writeUnsigned(out, cursors.all().size());
        cursors.all().forEach(cursor -> {
            cursor.snapshot(out);
            if (version >= WITH_PENDING) {
                cursor.snapshotPending(out);
            }
            if (version >= NEWEST_VERSION) {
                cursor.snapshotDelivered(out);
            }
        });
    }

    /** Takes over what {@link #snapshot} of this version wrote. */
    public void restore(byte version, ByteBuf in) {
        if (version < FIRST_VERSION || version > NEWEST_VERSION) {
            throw new IllegalStateException("subscriptions have version " + version + ": a newer server wrote them");
        }
        nextId = Packed.readUnsigned(in);
        for (int n = Packed.readCount(in); n > 0; n--) {
            DurableCursor cursor = DurableCursor.restore(this, in, version == FIRST_VERSION);
            if (version >= WITH_PENDING) {
                cursor.restorePending(in);
            }
            if (version >= NEWEST_VERSION) {
                cursor.applyDelivered(in);
            }
            add(cursor);
        }
    }

    /** The term is over or the partition is deleted. */
    public void closed(StoreFailure why) {
        closed = why;
        if (listed != null) {
            listed.close();
        }
        dirty.clear();
        cursors.all().forEach(DurableCursor::close);
        new All(takeWaiting()).failed(why);
    }

    /** Passes on to everybody who waits for one note. */
    private record All(List<Durable> waiting) implements Durable {
        @Override
        public void durable() {
            waiting.forEach(Durable::durable);
        }

        @Override
        public void failed(StoreFailure why) {
            waiting.forEach(each -> each.failed(why));
        }
    }
}
