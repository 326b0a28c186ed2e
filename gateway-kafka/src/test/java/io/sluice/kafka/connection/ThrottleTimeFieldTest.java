package io.sluice.kafka.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;

class ThrottleTimeFieldTest {
    /** In every version an answer that has it is as long as without, can be written, and is read back with it or with none. */
    @Test
    void allAnswersOfClientsHaveItButThoseOfLoginsAndNodes() {
        Set<ApiKeys> without = EnumSet.noneOf(ApiKeys.class);
        for (ApiKeys api : ApiKeys.clientApis()) {
            if (!ThrottleTimeField.set(api.messageType.newResponse(), 1)) {
                without.add(api);
                continue;
            }
            for (short version = api.oldestVersion(); version <= api.latestVersion(); version++) {
                ApiMessage plain = api.messageType.newResponse();
                ApiMessage answer = api.messageType.newResponse();
                ThrottleTimeField.set(answer, 1_234);
                ByteBuffer written =
                        MessageUtil.toByteBufferAccessor(answer, version).buffer();
                ByteBuffer usual =
                        MessageUtil.toByteBufferAccessor(plain, version).buffer();
                assertThat(written.remaining()).as("%s %d", api, version).isEqualTo(usual.remaining());
                ApiMessage read = api.messageType.newResponse();
                read.read(new ByteBufferAccessor(written), version);
                assertThat(read.equals(answer) || version < api.latestVersion() && read.equals(plain))
                        .as("%s %d: %s", api, version, read)
                        .isTrue();
            }
        }
        // the others are of Kafka's own nodes
        assertThat(without)
                .contains(ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE, ApiKeys.WRITE_TXN_MARKERS)
                .allMatch(api -> api.name.startsWith("Sasl")
                        || api == ApiKeys.WRITE_TXN_MARKERS
                        || api == ApiKeys.DESCRIBE_QUORUM
                        || api.name.contains("ShareGroupState"));
    }
}
