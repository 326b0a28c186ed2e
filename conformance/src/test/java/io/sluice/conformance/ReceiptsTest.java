package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.conformance.clients.CrashLoad;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@link EverythingAtOnceTest} looks with finds what it is there to find. */
class ReceiptsTest {
    private static final int KEYS = Application.KEYS;

    private final Receipts receipts = new Receipts();
    private long now;

    private void receive(long... numbers) {
        for (long number : numbers) {
            receipts.add(new Application.Receipt("reader", "load", number, now++));
        }
    }

    @Test
    void whatComesAgainIsInOrder() {
        receive(0, 1, KEYS, 0, 1, KEYS, 2 * KEYS, KEYS, 2);
        assertThat(receipts.outOfOrder("reader")).isEmpty();
        assertThat(receipts.doubled("reader")).containsExactly("load:0", "load:1", "load:5", "load:5");
    }

    @Test
    void theFirstOfAKeyAfterItsSecondIsOutOfOrder() {
        receive(0, 2 * KEYS, KEYS);
        assertThat(receipts.outOfOrder("reader")).containsExactly("reader: load 5 comes after 10");
    }

    @Test
    void theOrderIsThatOfTheClock() {
        receipts.add(new Application.Receipt("reader", "load", KEYS, 2));
        receipts.add(new Application.Receipt("reader", "load", 0, 1));
        assertThat(receipts.outOfOrder("reader")).isEmpty();
    }

    @Test
    void whatIsAcknowledgedAndWasNeverReadIsMissing() throws Exception {
        CrashLoad load = written(4, List.of(0L, 1L, 3L));
        receive(0, 1, 3);
        assertThat(load.missing(receipts.numbers("reader", "load"))).isEqualTo(Set.of(2L));
        assertThatThrownBy(() -> load.checkNothingLost("test"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("acknowledged and lost: [2]");
    }

    @Test
    void whatIsThereTwiceOrBehindALaterOneOfItsKeyIsFound() throws Exception {
        assertThatThrownBy(() -> written(2, List.of(0L, 1L, 0L)).checkNothingLost("test"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0 comes after 0");
        assertThatThrownBy(() -> written(KEYS + 1, List.of((long) KEYS, 0L)).checkNothingLost("test"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0 comes after 5");
        written(3, List.of(2L, 1L, 0L)).checkNothingLost("test");
    }

    /** A load whose first {@code count} records are acknowledged, the next one is not answered, and these are there. */
    private static CrashLoad written(long count, List<Long> there) throws Exception {
        CrashLoad load = new CrashLoad(
                new CrashLoad.Client() {
                    @Override
                    public void send(byte[] record, CrashLoad.Answer answered) {
                        answered.accept(ByteBuffer.wrap(record).getLong() < count ? null : new CrashLoad.ClientDied());
                    }

                    @Override
                    public void finishSending() {}

                    @Override
                    public List<byte[]> readBack() {
                        return there.stream()
                                .map(number -> ByteBuffer.allocate(Long.BYTES)
                                        .putLong(number)
                                        .array())
                                .toList();
                    }
                },
                new CrashLoad.Shape(1, Long.BYTES, KEYS, 0));
        load.start();
        while (load.acknowledged() < count) {
            Thread.onSpinWait();
        }
        load.finish();
        return load;
    }
}
