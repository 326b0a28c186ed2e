package io.sluice.pulsar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.pulsar.common.api.proto.MessageIdData;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
    private static final long SEGMENT = 7;

    private static long start(long ledger, long entry) {
        return MessageIds.offsetWithin(ledger, entry, SEGMENT, 100, 200);
    }

    @Test
    void knowsTheEnds() {
        assertThat(start(-1, -1)).isEqualTo(100);
        assertThat(start(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(200);
    }

    @Test
    void entryIdsAreOffsetsOfTheSegment() {
        assertThat(start(SEGMENT, 150)).isEqualTo(150);
        assertThat(start(SEGMENT, 20)).isEqualTo(100);
        assertThat(start(SEGMENT, 900)).isEqualTo(200);
    }

    @Test
    void idsOfOtherSegmentsLieBeforeOrAfter() {
        assertThat(start(SEGMENT - 1, 150)).isEqualTo(100);
        assertThat(start(SEGMENT + 1, 150)).isEqualTo(200);
    }

    @Test
    void seeksIntoABatchByItsAckSet() {
        MessageIdData id = new MessageIdData().setLedgerId(SEGMENT).setEntryId(150);
        id.addAckSet(0b1111_1000);
        assertThat(MessageIds.seekOffset(id, SEGMENT, 100, 200)).isEqualTo(153);
    }
}
