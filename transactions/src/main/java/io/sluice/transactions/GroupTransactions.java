package io.sluice.transactions;

import java.util.function.Consumer;

/** Port: the partitions of group offsets, whose coordinator has to see each marker. Any thread; does not block. */
public interface GroupTransactions {
    /** Without groups. */
    GroupTransactions NONE = new GroupTransactions() {
        @Override
        public String topic() {
            return "";
        }

        @Override
        public void end(int partition, Marker marker, Consumer<Markers.Fate> done) {
            done.accept(Markers.Fate.NOT_NEEDED);
        }
    };

    /** Kafka's name of the topic of group offsets. */
    String topic();

    /** As {@link Markers#write}. */
    void end(int partition, Marker marker, Consumer<Markers.Fate> done);
}
