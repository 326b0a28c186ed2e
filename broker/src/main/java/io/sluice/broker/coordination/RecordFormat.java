package io.sluice.broker.coordination;

import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.List;

/** What batches of records look like as entries of a log. Called by any thread and by the container's loop; keeps no state. */
public interface RecordFormat {
    /** Of a record that is part of no transaction. */
    long NO_TRANSACTION = EntryHeader.NO_PRODUCER;

    /** Format of all entries, see {@link io.sluice.broker.entry.EntryFormat}. */
    byte entryFormat();

    /** @param entries whole entries; its position is left alone */
    void decode(ByteBuffer entries, Reader reader);

    /** @return one entry with these records, at least one, in this order; part of no transaction */
    ByteBuffer encode(List<LogRecord> records);

    /** Told what entries hold, in order. The buffers are good only during the call. */
    interface Reader {
        /**
         * @param transaction of which the record is a part: its producer's id. It counts when that is committed, unless a later
         *     record of its key counts already. {@link #NO_TRANSACTION} if it counts at once
         */
        void record(LogRecord record, long offset, long transaction);

        /** The producer's open transaction ends here. */
        default void ended(long transaction, boolean committed) {}
    }
}
