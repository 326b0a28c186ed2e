package io.sluice.transactions;

import io.sluice.broker.topic.Topic;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Port: coordinators and participants at other nodes.
 *
 * <pre>
 *   participant: ask ──► {@link LocalTransactions#ask} at the owner of the coordinator's container
 *   coordinator: mark ─► {@link LocalTransactions#mark} at the owner of the partition's container
 * </pre>
 *
 * <p>Any thread; never blocks. Each callback is called once, at a deadline at the latest, on any thread. <b>Order.</b> None among
 * questions. A marker that was given up is never carried out after a later one of this node for the same container was told as written: it
 * could end a transaction that began in between. <b>Bound.</b> What is too much is answered at once, as what failed.
 */
public interface RemoteTransactions {
    /** Port of a server that has the store alone. */
    RemoteTransactions NONE = new RemoteTransactions() {
        @Override
        public void ask(int container, TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
            answer.accept(TransactionError.NOT_COORDINATOR);
        }

        @Override
        public void mark(Participant partition, Topic.Placement at, Marker marker, Consumer<Markers.Fate> done) {
            done.accept(Markers.Fate.UNKNOWN);
        }
    };

    /**
     * Asks the coordinator in the container.
     *
     * @param answer null if the partition is part of the transaction; retriable where there is no answer
     */
    void ask(int container, TransactionQuestion question, Consumer<@Nullable TransactionError> answer);

    /** Writes a marker, as {@link Markers#write} does. */
    void mark(Participant partition, Topic.Placement at, Marker marker, Consumer<Markers.Fate> done);
}
