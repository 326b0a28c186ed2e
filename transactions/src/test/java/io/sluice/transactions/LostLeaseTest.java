package io.sluice.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.LeasedPartitions;
import io.sluice.broker.TestBroker;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A coordinator whose lease has run out, which has not been told yet: another node may have ended its transactions. */
@Timeout(60)
class LostLeaseTest {
    private static final Participant PARTITION = new Participant("t", 0);

    private final TestBroker broker = TestBroker.start();
    private final LeasedPartitions partitions = new LeasedPartitions(broker.partitions());
    private TransactionAuthority authority;

    @BeforeEach
    void open() throws Exception {
        AtomicLong ids = new AtomicLong(1);
        authority = TransactionAuthority.open(
                TransactionSettings.DEFAULT,
                new TransactionAuthority.Environment(
                        broker.catalogue(),
                        partitions,
                        ids::getAndIncrement,
                        task -> Thread.ofVirtual().start(task),
                        System::currentTimeMillis));
        authority.start(GroupTransactions.NONE);
    }

    @AfterEach
    void close() {
        authority.close();
        broker.close();
    }

    private static <T> T whenLoaded(Supplier<T> call) throws InterruptedException {
        while (true) {
            try {
                return call.get();
            } catch (CompletionException e) {
                if (TransactionAuthority.errorOf(e) != TransactionError.LOADING) {
                    throw e;
                }
                LockSupport.parkNanos(10_000_000);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    }

    private @Nullable TransactionError verify(ProducerIdentity producer) {
        AtomicReference<@Nullable TransactionError> told = new AtomicReference<>(TransactionError.FAILED);
        authority.ask(new TransactionQuestion("id", producer, PARTITION, null), told::set);
        return told.get();
    }

    private @Nullable TransactionError verify(SingleTransaction single) {
        AtomicReference<@Nullable TransactionError> told = new AtomicReference<>(TransactionError.FAILED);
        authority.singles().verify(single, null, PARTITION, told::set);
        return told.get();
    }

    @Test
    void verifiesAndDescribesNothing() throws Exception {
        ProducerIdentity producer =
                whenLoaded(() -> authority.init("id", 60_000, null).join());
        authority.add("id", producer, List.of(PARTITION), true).join();
        SingleTransactions singles = authority.singles();
        SingleTransaction single =
                whenLoaded(() -> singles.begin(3, 60_000, null).join());
        singles.add(single, TransactionUser.ANY, List.of(PARTITION)).join();
        assertThat(verify(producer)).isNull();
        assertThat(verify(single)).isNull();

        partitions.leaseHeld(false);
        assertThat(verify(producer)).isEqualTo(TransactionError.NOT_COORDINATOR);
        assertThat(authority.verify("id", producer, PARTITION)).isEqualTo(TransactionError.NOT_COORDINATOR);
        assertThat(verify(single)).isEqualTo(TransactionError.NOT_COORDINATOR);
        assertThatThrownBy(() -> authority.describe("id")).hasMessage("NOT_COORDINATOR");
        assertThatThrownBy(() -> singles.describe(single)).hasMessage("NOT_COORDINATOR");
        assertThat(authority.list(each -> true)).isEmpty();
        assertThat(singles.all(3)).isEmpty();

        partitions.leaseHeld(true);
        assertThat(verify(producer)).isNull();
        assertThat(authority.describe("id").state()).isEqualTo("Ongoing");
        assertThat(singles.all(3)).hasSize(1);
    }
}
