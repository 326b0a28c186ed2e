package io.sluice.tiering.merge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.flush.Upload;
import io.sluice.tiering.format.ObjectImage.Part;
import io.sluice.tiering.merge.MergePlan.Run;
import io.sluice.tiering.merge.SourceRead.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One merge: what it reads, has read, and stores. Loop only.
 *
 * <pre>
 *   reads left ─► running ─► sources (held) ─► parts of an upload, which holds them from then on
 * </pre>
 */
final class Merge {
    final List<Run> runs;
    final ArrayDeque<SourceRead> left;
    int running;
    /** Once everything is read. */
    @Nullable
    Upload upload;

    /** The commit was sequenced: nothing is left to be done but to hear that it is durable. */
    boolean committed;

    private final Map<TierRange, ByteBuf> sources = new HashMap<>();

    Merge(List<Run> runs, int readBytes) {
        this.runs = runs;
        List<TierRange> wanted =
                runs.stream().flatMap(run -> run.sources().stream()).toList();
        this.left = new ArrayDeque<>(SourceRead.of(wanted, readBytes));
    }

    /** Takes the bytes over. */
    void read(List<Source> read) {
        read.forEach(source -> sources.put(source.range(), source.bytes()));
    }

    boolean allRead() {
        return left.isEmpty() && running == 0;
    }

    /** Parts to store; takes over the bytes read. */
    List<Part> parts(ByteBufAllocator allocator) {
        List<Part> parts = new ArrayList<>(runs.size());
        for (Run run : runs) {
            CompositeByteBuf merged = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
            for (TierRange source : run.sources()) {
                merged.addFlattenedComponents(true, Objects.requireNonNull(sources.remove(source)));
            }
            parts.add(new Part(run.segment(), run.sources().getFirst().position(), merged));
        }
        return parts;
    }

    /** Idempotent. */
    void release() {
        sources.values().forEach(ByteBuf::release);
        sources.clear();
        if (upload != null) {
            upload.unpin();
        }
    }
}
