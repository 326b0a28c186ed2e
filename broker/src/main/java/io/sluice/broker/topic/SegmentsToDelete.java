package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes segments that no topic has any more, though their containers may not be served now: what cannot be deleted is kept in a record of
 * its own, {@code /sluice/deleted/<id of one of them>}, and tried again. So the topic's record, and its name, wait for no container. Ids of
 * segments are never used again. Any thread.
 */
final class SegmentsToDelete {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentsToDelete.class);
    private static final String ROOT = "/sluice/deleted";
    private static final byte VERSION = 1;

    private final Metadata metadata;
    private final PartitionSegments segments;
    private final InterruptedChanges<String> left;

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    SegmentsToDelete(Metadata metadata, PartitionSegments segments, Executor tasks) {
        this.metadata = metadata;
        this.segments = segments;
        this.left = new InterruptedChanges<>(tasks, new InterruptedChanges.Finishing<>() {
            @Override
            public void finish(String path) throws TopicException, IOException {
                deleteStored(path);
            }

            @Override
            public void noteAll() throws IOException {
                paths().forEach(left::note);
            }
        });
    }

    private List<String> paths() throws IOException {
        return metadata.children(ROOT).stream().map(id -> ROOT + '/' + id).toList();
    }

    /**
     * Deletes those that exist; blocks. What cannot be deleted now is durably noted.
     *
     * @throws IOException neither; to be called again
     */
    void delete(List<SegmentPlace> places) throws IOException {
        if (places.isEmpty()) {
            return;
        }
        try {
            segments.delete(places);
        } catch (TopicException | IllegalStateException e) {
            LOG.warn("{} segments are deleted later: {}", places.size(), e.getMessage());
            String path = ROOT + '/' + places.getFirst().segment();
            left.note(path); // the write may happen and not be answered
            if (metadata.get(path) == null) {
                metadata.putOrFind(path, encode(places), Metadata.ABSENT);
            }
        }
    }

    private void deleteStored(String path) throws TopicException, IOException {
        Metadata.Versioned stored = metadata.get(path);
        if (stored != null) {
            segments.delete(decode(path, stored.value()));
            metadata.delete(path, stored.version());
        }
    }

    /** Tries all that an earlier start has left; blocks. Gives how many records are left. */
    int finishInterrupted() throws IOException {
        int failed = 0;
        for (String path : paths()) {
            failed += left.tryFinishOrNote(path) ? 0 : 1;
        }
        return failed;
    }

    /** See {@link InterruptedChanges#round}. */
    CompletableFuture<Void> round() {
        return left.round();
    }

    /** Records that are left. */
    int count() {
        return left.count();
    }

    private static byte[] encode(List<SegmentPlace> places) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(VERSION);
        Packed.writeUnsigned(out, places.size());
        for (SegmentPlace place : places) {
            Packed.writeUnsigned(out, place.container());
            Packed.writeUnsigned(out, place.segment());
        }
        return ByteBufUtil.getBytes(out);
    }

    private static List<SegmentPlace> decode(String path, byte[] bytes) throws IOException {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IOException(path + " has version " + version + ": a newer server wrote it");
        }
        List<SegmentPlace> places = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            int container = Packed.readCount(in);
            places.add(new SegmentPlace(container, Packed.readUnsigned(in)));
        }
        return places;
    }
}
