package io.sluice.pulsar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.pulsar.common.api.proto.MessageIdData;
import org.junit.jupiter.api.Test;

class MessageIdsTest {
    @Test
    void seeksIntoABatchByItsAckSet() {
        MessageIdData id = new MessageIdData().setLedgerId(7).setEntryId(150);
        assertThat(MessageIds.acknowledgedFirst(id)).isZero();
        id.addAckSet(0b1111_1000);
        assertThat(MessageIds.acknowledgedFirst(id)).isEqualTo(3);
    }
}
