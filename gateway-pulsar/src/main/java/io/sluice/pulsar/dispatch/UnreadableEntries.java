package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.format.MalformedEntryException;
import io.sluice.store.segment.StoreFailure;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Entries of a partition that no consumer can be given, named in the log for operators. Loop only. */
public final class UnreadableEntries {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadableEntries.class);

    /** Malformed entries that are named. */
    private static final int MAX_MALFORMED = 100;

    private final PartitionPlace place;

    /** By base offset, as far as they were logged. */
    private final Set<Long> malformed = new HashSet<>();

    UnreadableEntries(PartitionPlace place) {
        this.place = place;
    }

    void damaged(String subscription, StoreFailure.Corrupt why) {
        LOG.warn("{}: subscription {} stops: {}", place.topic(), subscription, why.message());
    }

    /** Says so once for each entry, however many read it, and for so many entries. */
    void malformed(long base, MalformedEntryException why) {
        if (malformed.size() > MAX_MALFORMED || !malformed.add(base)) {
            return;
        }
        if (malformed.size() > MAX_MALFORMED) {
            LOG.warn("{}: more than {} entries are malformed; the others are not named", place.topic(), MAX_MALFORMED);
            return;
        }
        String messageId = place.log().ledgerAt(base) + ":" + base + ":" + place.partition();
        LOG.warn("{}: message {} is malformed and passed over: {}", place.topic(), messageId, why.getMessage());
    }
}
