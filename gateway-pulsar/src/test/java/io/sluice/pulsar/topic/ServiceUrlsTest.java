package io.sluice.pulsar.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServiceUrlsTest {
    private static final InetSocketAddress REACHED = new InetSocketAddress("127.0.0.1", 6650);

    @Test
    void aClientIsToldTheAddressItCameToUnlessOneIsAdvertised() {
        assertThat(url(null, 0)).isEqualTo("pulsar://127.0.0.1:6650");
        assertThat(url("broker.test", 0)).isEqualTo("pulsar://broker.test:6650");
        assertThat(url(null, 16650)).isEqualTo("pulsar://127.0.0.1:16650");
        assertThat(url("broker.test", 16650)).isEqualTo("pulsar://broker.test:16650");
    }

    private static @Nullable String url(@Nullable String host, int port) {
        PulsarGatewayConfig c = PulsarGatewayConfig.defaults("127.0.0.1", 6650, "i");
        return ServiceUrls.of(
                new PulsarGatewayConfig(
                        c.host(),
                        c.port(),
                        host,
                        port,
                        Map.of(),
                        c.httpUrl(),
                        c.clusterName(),
                        c.instance(),
                        c.topics(),
                        c.deduplication(),
                        c.compactionThreshold(),
                        c.limits()),
                "",
                REACHED);
    }
}
