package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.Arrays;
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
 * Each chunk is looked for where it lies closest before the last one: a producer that sent some of them twice has sent the same.
 */
final class ChunkedMessage {
    /** Bytes of one read. */
    private static final int READ_BYTES = 1 << 20;

    /** Offsets of the largest window. */
    private static final int LARGEST_WINDOW = 4096;

    private static final int GROWTH = 8;

    /** For each byte that a message may have, so many are read to find it. */
    private static final int READ_FOR_BYTE = 2;

    private final EarlierEntries earlier;
    private final MessageMetadata last;
    private final int most;
    private final ByteBuf[] parts;
    private int missing;
    private long size;
    private long budget;
    /** First offset of the partition, as far as it is known. */
    private long start;

    /** By chunk, what the window has. */
    private final ByteBuf[] found;

    private long foundBytes;

    /**
     * @param last metadata of the last chunk
     * @param most bytes of the message
     */
    ChunkedMessage(EarlierEntries earlier, MessageMetadata last, int most) {
        this.earlier = earlier;
        this.last = last;
        this.most = most;
        this.parts = new ByteBuf[last.getNumChunksFromMsg()];
        this.found = new ByteBuf[parts.length];
        this.missing = parts.length - 1;
        this.budget = (long) READ_FOR_BYTE * most;
    }

    /** Whether a message of so many bytes and chunks is put together. All its chunks say the same. */
    static boolean fits(MessageMetadata chunk, int most) {
        int chunks = chunk.getNumChunksFromMsg();
        return chunk.getChunkId() >= 0
                && chunk.getChunkId() < chunks
                && chunks <= LARGEST_WINDOW
                && chunk.getTotalChunkMsgSize() > 0
                && chunk.getTotalChunkMsgSize() <= most
                && chunk.getUncompressedSize() >= 0
                && chunk.getUncompressedSize() <= most
                && chunk.getEncryptionKeysCount() == 0;
    }

    /**
     * The payload of all chunks, one behind the other; null if some are not there any more.
     *
     * @param base offset of the last chunk
     * @param payload of the last chunk
     * @throws UnreadableEntryException they lie too far apart, or are more than they say
     */
    @Nullable
    ByteBuf payload(long base, ByteBuf payload) throws UnreadableEntryException {
        take(parts.length - 1, payload);
        long to = base;
        for (long window = missing; missing > 0 && to > start; window = Math.min(LARGEST_WINDOW, window * GROWTH)) {
            long from = Math.max(start, to - window);
            look(from, to);
            to = from;
        }
        return missing > 0 ? null : Unpooled.wrappedBuffer(parts);
    }

    /** Takes the chunks that are missing from {@code from} to {@code to}. */
    private void look(long from, long to) throws UnreadableEntryException {
        Arrays.fill(found, null);
        foundBytes = 0;
        for (long at = from; at < to; ) {
            EarlierEntries.Run run = earlier.read(at, READ_BYTES);
            if (run == null || run.next() <= at) {
                break;
            }
            budget -= run.bytes().readableBytes();
            if (budget < 0) {
                throw new UnreadableEntryException("its chunks lie too far apart");
            }
            look(run.bytes(), to);
            at = run.next();
            start = run.start();
        }
        for (int i = 0; i < found.length; i++) {
            if (parts[i] == null && found[i] != null) {
                take(i, found[i]);
                missing--;
            }
        }
    }

    private void look(ByteBuf run, long to) throws UnreadableEntryException {
        for (int at = run.readerIndex(); at < run.writerIndex(); at += EntryHeader.size(run, at)) {
            if (EntryHeader.baseOffset(run, at) >= to) {
                return;
            }
            if (EntryFormat.isPulsar(EntryHeader.format(run, at)) && PulsarEntry.mayBeChunk(run, at)) {
                lookAt(new PulsarSource(run, at));
            }
        }
    }

    private void lookAt(PulsarSource entry) throws UnreadableEntryException {
        ByteBuf payload;
        try {
            payload = entry.open();
        } catch (UnreadableEntryException e) {
            return; // no chunk that any client could use
        }
        MessageMetadata metadata = entry.metadata();
        int chunk = metadata.hasChunkId() ? metadata.getChunkId() : -1;
        if (chunk >= 0
                && chunk < parts.length - 1
                && parts[chunk] == null
                && metadata.hasUuid()
                && metadata.getUuid().equals(last.getUuid())
                && metadata.getNumChunksFromMsg() == parts.length) {
            foundBytes += payload.readableBytes() - (found[chunk] == null ? 0 : found[chunk].readableBytes());
            if (foundBytes > most) {
                throw tooMany();
            }
            found[chunk] = Unpooled.copiedBuffer(payload); // what was read with it is not kept
        }
    }

    private UnreadableEntryException tooMany() {
        return new UnreadableEntryException("its chunks have more bytes than they say, the limit is " + most);
    }

    private void take(int chunk, ByteBuf payload) throws UnreadableEntryException {
        size += payload.readableBytes();
        if (size > most) {
            throw tooMany();
        }
        parts[chunk] = payload;
    }
}
