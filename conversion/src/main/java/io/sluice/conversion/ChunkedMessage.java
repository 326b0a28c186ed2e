package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A message in chunks, put together where its last chunk lies; used once.
 *
 * <pre>
 *   ... ◄─ 3rd window ─┤◄── 2nd ──┤◄ 1st ┤ last chunk
 *          chunk 0         chunk 1        └ the message
 * </pre>
 *
 * Each chunk is looked for where it lies closest before the last one: a producer that sent some of them twice has sent the same. An earlier
 * last chunk of the same message ends the search: the message was there.
 *
 * <p>The {@link ChunkIndex} remembers where chunks lie in what was searched. Who comes to the next last chunk reads what has come since.
 */
final class ChunkedMessage {
    /** Bytes of one read, and of one window as far as they can be told before. */
    private static final int READ_BYTES = 1 << 20;

    /** A window is given up for a smaller one when it has so many bytes, the first one beside those of the message. */
    private static final int LARGEST_WINDOW_BYTES = 8 << 20;

    /** Bytes that are read beyond the message's first chunk to come to what is known. */
    private static final int GAP_BYTES = 8 << 20;

    private static final int FIRST_WINDOW = 64;
    private static final int GROWTH = 8;
    private static final int MOST_CHUNKS = 4096;

    /** Chunks, of any message, between the last one and the first. */
    private static final int MOST_BETWEEN = 2 * MOST_CHUNKS;

    /** For each byte that a message may have, so many before its last chunk are searched. */
    private static final int SEARCHED_FOR_BYTE = 2;

    /** For each byte that is searched, so many are read at most: reads go over the ends of windows. */
    private static final int READ_FOR_SEARCHED = 4;

    private final EarlierEntries earlier;
    private final long partition;
    private final ChunkIndex index;
    private final MessageMetadata last;
    private final long id;
    private final int most;
    /** Offset of each chunk but the last. */
    private final long[] offsets;

    /** Payloads of chunks of the message, by offset, as far as they were read on the way. */
    private final Map<Long, ByteBuf> copies = new HashMap<>();

    private long copied;
    private long read;
    private long window;
    private long largestWindow = Long.MAX_VALUE;

    /**
     * @param last metadata of the last chunk
     * @param most bytes of the message
     */
    ChunkedMessage(EarlierChunks earlier, MessageMetadata last, int most) {
        this.earlier = earlier.entries();
        this.partition = earlier.partition();
        this.index = earlier.index();
        this.last = last;
        this.id = idOf(last);
        this.most = most;
        this.offsets = new long[last.getNumChunksFromMsg() - 1];
        this.window = Math.min(offsets.length, FIRST_WINDOW);
    }

    /** Whether a message of so many bytes and chunks is put together. All its chunks say the same. */
    static boolean fits(MessageMetadata chunk, int most) {
        int chunks = chunk.getNumChunksFromMsg();
        return chunk.getChunkId() >= 0
                && chunk.getChunkId() < chunks
                && chunks <= MOST_CHUNKS
                && chunk.getTotalChunkMsgSize() > 0
                && chunk.getTotalChunkMsgSize() <= most
                && chunk.getUncompressedSize() >= 0
                && chunk.getUncompressedSize() <= most
                && chunk.getEncryptionKeysCount() == 0;
    }

    /** Tells a message from all others of its partition; nobody can make up one that has the number of another. */
    static long idOf(MessageMetadata chunk) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, chunk.getNumChunksFromMsg()));
            return ByteBuffer.wrap(digest.digest(chunk.getUuid().getBytes(StandardCharsets.UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each JDK has it
        }
    }

    /**
     * The payload of all chunks, one behind the other; null if some are not there any more, or the message was there before.
     *
     * @param base offset of the last chunk
     * @param payload of the last chunk
     * @throws UnreadableEntryException they lie too far apart, or are more than they say
     */
    @Nullable
    ByteBuf payload(long base, ByteBuf payload) throws UnreadableEntryException {
        if (!find(base)) {
            return null;
        }
        copies.keySet().retainAll(Arrays.stream(offsets).boxed().toList());
        ByteBuf[] parts = new ByteBuf[offsets.length + 1];
        parts[offsets.length] = payload;
        long size = payload.readableBytes();
        for (int chunk = 0; chunk < offsets.length; chunk++) {
            ByteBuf part = copies.get(offsets[chunk]);
            part = part == null ? readAgain(chunk) : part;
            if (part == null) {
                return null;
            }
            size += part.readableBytes();
            if (size > most) {
                throw new UnreadableEntryException("its chunks have more bytes than they say, the limit is " + most);
            }
            parts[chunk] = part;
        }
        return Unpooled.wrappedBuffer(parts);
    }

    private @Nullable ByteBuf readAgain(int chunk) {
        EarlierEntries.Run run = earlier.read(offsets[chunk], 1);
        if (run == null) {
            return null;
        }
        ByteBuf bytes = run.bytes();
        int at = bytes.readerIndex();
        Chunk there = at < bytes.writerIndex() && EntryHeader.baseOffset(bytes, at) == offsets[chunk]
                ? Chunk.read(bytes, at)
                : null;
        return there != null && there.is(last, chunk) ? Unpooled.copiedBuffer(there.payload()) : null;
    }

    // ---- search

    private enum Found {
        ALL,
        /** Some are not there. */
        MISSING,
        /** Some may lie before the stretch. */
        NOT_YET
    }

    private boolean find(long base) throws UnreadableEntryException {
        ChunkStretch known = index.takeCovering(partition, base);
        ChunkStretch stretch = known != null && known.positionOf(base) >= 0 ? known : new ChunkStretch(partition, base);
        if (stretch != known) {
            look(stretch, Math.max(0, base - window));
            if (match(stretch, base) == Found.ALL) {
                return true; // the usual case; what was read is not worth keeping
            }
        }
        Below below = new Below();
        try {
            Found found = match(stretch, base);
            while (found == Found.NOT_YET) {
                extend(stretch, below);
                found = match(stretch, base);
            }
            // no gap is left that the next search would go over again
            for (long enough = stretch.bytes() + GAP_BYTES; stretch.bytes() < enough && below.mayJoin(stretch); ) {
                extend(stretch, below);
            }
            return found == Found.ALL;
        } finally {
            below.giveBack();
            stretch.trim(2 * MOST_BETWEEN, 2 * searched());
            index.keep(stretch);
        }
    }

    private long searched() {
        return (long) SEARCHED_FOR_BYTE * most;
    }

    /** The stretch of an earlier search that is closest before this one's. */
    private final class Below {
        private @Nullable ChunkStretch lower;
        private boolean taken;

        boolean mayJoin(ChunkStretch stretch) {
            if (!taken) {
                taken = true;
                lower = index.takeBelow(partition, stretch.from());
            }
            return lower != null;
        }

        /** First offset that is not known. */
        long from(ChunkStretch stretch) {
            return mayJoin(stretch) && lower != null ? lower.to() : 0;
        }

        /** Whether it was joined. */
        boolean join(ChunkStretch stretch) {
            if (!mayJoin(stretch) || lower == null || lower.to() != stretch.from()) {
                return false;
            }
            stretch.prepend(lower);
            lower = null;
            taken = false; // there may be another one before it
            return true;
        }

        void giveBack() {
            if (lower != null) {
                index.keep(lower);
            }
        }
    }

    /** Takes the chunks of the message that are in the stretch, closest first. */
    private Found match(ChunkStretch stretch, long base) throws UnreadableEntryException {
        Arrays.fill(offsets, -1);
        int missing = offsets.length;
        int between = 0;
        long end = stretch.positionOf(base);
        for (Iterator<ChunkStretch.Place> each = stretch.fromLast(); each.hasNext(); ) {
            ChunkStretch.Place place = each.next();
            if (place.offset() >= base) {
                continue;
            }
            if (++between > MOST_BETWEEN || end - place.position() > searched()) {
                throw tooFar();
            }
            if (place.message() != id) {
                continue;
            }
            if (place.chunk() == offsets.length) {
                return Found.MISSING;
            }
            if (offsets[place.chunk()] < 0) {
                offsets[place.chunk()] = place.offset();
                if (--missing == 0) {
                    return Found.ALL;
                }
            }
        }
        if (stretch.beginsAtStart()) {
            return Found.MISSING;
        }
        if (end - stretch.low() > searched() || read > READ_FOR_SEARCHED * searched()) {
            throw tooFar();
        }
        return Found.NOT_YET;
    }

    private static UnreadableEntryException tooFar() {
        return new UnreadableEntryException("its chunks lie too far apart");
    }

    /** By what is known, or else by what one more window has. */
    private void extend(ChunkStretch stretch, Below below) {
        if (below.join(stretch)) {
            return;
        }
        long offsetsThere = stretch.to() - stretch.from();
        long asLargeAsARead = stretch.bytes() == 0
                ? Long.MAX_VALUE
                : Math.max(1, (long) ((double) READ_BYTES * offsetsThere / stretch.bytes()));
        window = Math.min(Math.min(window * GROWTH, asLargeAsARead), largestWindow);
        look(stretch, Math.max(below.from(stretch), stretch.from() - window));
    }

    /** Adds what lies between {@code from} and the stretch; to an empty one what is read behind it, too. */
    private void look(ChunkStretch stretch, long from) {
        long to = stretch.from();
        boolean first = stretch.to() == to;
        long largestBytes = LARGEST_WINDOW_BYTES + (first ? last.getTotalChunkMsgSize() : 0L);
        ChunkStretch more = new ChunkStretch(partition, from);
        long at = from;
        do {
            EarlierEntries.Run run = earlier.read(at, READ_BYTES);
            if (run == null || run.next() <= at) {
                break;
            }
            read += run.bytes().readableBytes();
            more.setStart(run.start());
            at = run.next();
            look(run.bytes(), more, from, to);
            if (more.bytes() > largestBytes && at < to) {
                largestWindow = Math.max(1, (to - from) / GROWTH);
                return;
            }
            if (first) {
                look(run.bytes(), stretch, to, at);
            }
        } while (at < to);
        more.extendTo(to);
        stretch.prepend(more);
    }

    /** Adds to a stretch the entries between two offsets. */
    private void look(ByteBuf run, ChunkStretch stretch, long from, long to) {
        for (int at = run.readerIndex(); at < run.writerIndex(); at += EntryHeader.size(run, at)) {
            long offset = EntryHeader.baseOffset(run, at);
            if (offset >= to) {
                return;
            }
            if (offset >= from) {
                Chunk chunk = Chunk.read(run, at);
                if (chunk != null) {
                    long message = idOf(chunk.metadata());
                    stretch.addPlace(offset, message, chunk.metadata().getChunkId());
                    copy(offset, message, chunk.payload());
                }
                stretch.append(EntryHeader.size(run, at), EntryHeader.lastOffset(run, at) + 1);
            }
        }
    }

    /** Copies the payload: what was read with it is not kept. */
    private void copy(long offset, long message, ByteBuf payload) {
        if (message == id && payload.readableBytes() <= most - copied && !copies.containsKey(offset)) {
            copied += payload.readableBytes();
            copies.put(offset, Unpooled.copiedBuffer(payload));
        }
    }

    /** An entry that is a chunk. */
    private record Chunk(MessageMetadata metadata, ByteBuf payload) {
        /** Null if it is none, or none that any client could use. */
        static @Nullable Chunk read(ByteBuf run, int at) {
            if (!EntryFormat.isPulsar(EntryHeader.format(run, at)) || !PulsarEntry.mayBeChunk(run, at)) {
                return null;
            }
            PulsarSource entry = new PulsarSource(run, at);
            try {
                ByteBuf payload = entry.open();
                MessageMetadata metadata = entry.metadata();
                return metadata.hasUuid()
                                && metadata.hasChunkId()
                                && metadata.hasNumChunksFromMsg()
                                && metadata.getChunkId() >= 0
                                && metadata.getChunkId() < metadata.getNumChunksFromMsg()
                        ? new Chunk(metadata, payload)
                        : null;
            } catch (UnreadableEntryException e) {
                return null;
            }
        }

        boolean is(MessageMetadata last, int chunk) {
            return metadata.getChunkId() == chunk
                    && metadata.getNumChunksFromMsg() == last.getNumChunksFromMsg()
                    && metadata.getUuid().equals(last.getUuid());
        }
    }
}
