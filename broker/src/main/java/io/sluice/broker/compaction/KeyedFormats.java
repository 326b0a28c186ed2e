package io.sluice.broker.compaction;

import io.sluice.broker.compaction.PartitionScan.Chunk;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The formats that a compaction knows, by their tag. */
final class KeyedFormats {
    private final Map<Byte, KeyedEntries> byTag = new HashMap<>();

    KeyedFormats(List<KeyedEntries> all) {
        all.forEach(format -> byTag.put(format.format(), format));
    }

    KeyedEntries of(Chunk chunk) throws CompactionException {
        KeyedEntries format = byTag.get(chunk.format());
        if (format == null) {
            throw new CompactionException("entries of format " + chunk.format() + " cannot be compacted");
        }
        return format;
    }
}
