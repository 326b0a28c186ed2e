package io.sluice.pulsar;

import io.sluice.broker.TestBroker;
import io.sluice.broker.topic.TopicException;
import io.sluice.transactions.GroupTransactions;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/** The authority over transactions of a broker in memory. */
public final class TestTransactions {
    /** Of all that this process makes, so that a restart gives none again. */
    private static final AtomicLong IDS = new AtomicLong();

    private TestTransactions() {}

    /** Started; the caller's. */
    public static TransactionAuthority over(TestBroker broker) {
        Executor blocking = task -> Thread.ofVirtual().start(task);
        try {
            TransactionAuthority opened = TransactionAuthority.open(
                    TransactionSettings.DEFAULT,
                    new TransactionAuthority.Environment(
                            broker.catalogue(),
                            broker.partitions(),
                            IDS::incrementAndGet,
                            blocking,
                            System::currentTimeMillis));
            opened.start(GroupTransactions.NONE);
            return opened;
        } catch (TopicException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
