package io.sluice.broker.coordination;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** What batches of records look like as entries of a log. Called by any thread and by the container's loop; keeps no state. */
public interface RecordFormat {
    /** Format of all entries, see {@link io.sluice.broker.entry.EntryFormat}. */
    byte entryFormat();

    /**
     * @param entries whole entries; its position is left alone
     * @param each told of every record in order; the buffers are good only during the call
     * @throws CoordinatorLogException for records that may not be copied, such as those whose outcome is not known
     */
    void decode(ByteBuffer entries, Consumer<LogRecord> each);

    /** @return one entry with these records, at least one, in this order */
    ByteBuffer encode(List<LogRecord> records);
}
