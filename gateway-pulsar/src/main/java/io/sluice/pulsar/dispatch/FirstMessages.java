package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.StoreFailure;
import java.util.function.BooleanSupplier;

/**
 * Entries that the first messages of Kafka batches are handed out in: the whole batch, or the message alone, where messages share by key or their
 * schemas have several versions. Both have the same id. Loop only.
 */
final class FirstMessages {
    /** Batches that are converted at a time to know it. */
    private static final int MOST = 64;

    private final PartitionLog log;
    private final EntryConversions conversions;
    private final BooleanSupplier eachAlone;
    private int underWay;

    /** @param eachAlone whether all messages of Kafka batches are entries of their own */
    FirstMessages(PartitionLog log, EntryConversions conversions, BooleanSupplier eachAlone) {
        this.log = log;
        this.conversions = conversions;
        this.eachAlone = eachAlone;
    }

    /** Finds the entry; of the message alone if too many are looked for: the others come again then, and are not lost. */
    void find(long base, int offsets, EntryLocation reply) {
        if (offsets == 1 || !eachAlone.getAsBoolean() && !conversions.maySplit(log.topicId())) {
            reply.entry(base, offsets);
        } else if (eachAlone.getAsBoolean() || underWay >= MOST) {
            reply.entry(base, 1);
        } else {
            underWay++;
            ConvertedEntry.first(log, base, conversions, new Counted(reply));
        }
    }

    private final class Counted implements EntryLocation {
        private final EntryLocation reply;

        Counted(EntryLocation reply) {
            this.reply = reply;
        }

        @Override
        public void entry(long base, int offsets) {
            underWay--;
            reply.entry(base, offsets);
        }

        @Override
        public void gone() {
            underWay--;
            reply.gone();
        }

        @Override
        public void failed(StoreFailure why) {
            underWay--;
            reply.failed(why);
        }
    }
}
