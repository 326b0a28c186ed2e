package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that cannot be: the client hears of it in a way after which it tries again. */
class RefusedConsumersTest extends ClientTest {
    private static void subscribe(RawClient raw, String topic, long consumer, long request) throws Exception {
        raw.write(Commands.newSubscribe(topic, "s", consumer, request, SubType.Exclusive, 0, "c", 0));
    }

    private static void expectBusy(RawClient raw, long request) throws Exception {
        var error = raw.expect(Type.ERROR).getError();
        assertThat(error.getRequestId()).isEqualTo(request);
        assertThat(error.getError()).isEqualTo(ServerError.ConsumerBusy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"persistent", "non-persistent"})
    void aClientThatBelievesThemConnectedIsToldThatTheyAreClosed(String domain) throws Exception {
        String topic = domain + "://public/default/t";
        try (RawClient other = RawClient.connect(gateway, "Pulsar-Java-v4.2.4");
                RawClient raw = RawClient.connect(gateway, "Pulsar-CPP-v3.8.0")) {
            subscribe(other, topic, 7, 1);
            other.expect(Type.SUCCESS);
            subscribe(raw, topic, 8, 2);
            expectBusy(raw, 2);
            assertThat(raw.expect(Type.CLOSE_CONSUMER).getCloseConsumer().getConsumerId())
                    .isEqualTo(8);
            other.write(Commands.newCloseConsumer(7, 3, null, null));
            other.expect(Type.SUCCESS);
            subscribe(raw, topic, 8, 4);
            raw.expect(Type.SUCCESS);
        }
    }

    @ParameterizedTest
    @CsvSource({"Pulsar-Java-v4.2.4, persistent", "Pulsar-Go-v0.19.0, persistent", "Pulsar-Java-v4.2.4, non-persistent"
    })
    void othersAreToldOnce(String version, String domain) throws Exception {
        String topic = domain + "://public/default/t";
        try (RawClient raw = RawClient.connect(gateway, version)) {
            subscribe(raw, topic, 7, 1);
            raw.expect(Type.SUCCESS);
            subscribe(raw, topic, 8, 2);
            expectBusy(raw, 2);
            raw.write(Commands.newCloseConsumer(7, 3, null, null));
            raw.expect(Type.SUCCESS);
        }
    }
}
